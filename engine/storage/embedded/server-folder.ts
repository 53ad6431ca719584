// Where the built-in PostgreSQL keeps its data: DATA_DIR/postgres, or, when the service runs as root and its DATA_DIR is
// closed to the user that PostgreSQL runs as (a folder below /root, say), a folder under /var/lib/slipstream that
// DATA_DIR/postgres.json names from then on.
//
// The folder itself stays ours, so that the server's user can put nothing in our way; `data` and `socket` in it are the
// server's own and closed to everyone else. Whoever can enter `socket` may connect: that is the whole access control, and
// there is no port.

import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#engine/base/log.ts';
import { errorCode, errorText, StorageError } from '#engine/storage/storage-error.ts';
import { ownedFolder } from './owned-folder.ts';
import { canReach, runsAsRoot, type ServerUser, systemServerUser } from './server-user.ts';

export interface ServerFolder {
  readonly dataDir: string;
  readonly root: string;
  /** PostgreSQL's data folder; it exists once the cluster is complete. */
  readonly cluster: string;
  readonly socket: string;
  readonly logFile: string;
  /** As whom PostgreSQL runs; null: as ourselves. */
  readonly user: ServerUser | null;
}

const ROOT_STATE = '/var/lib/slipstream';

/** Finds or prepares the folder for this DATA_DIR. */
export async function serverFolder(dataDirSetting: string, log: Log): Promise<ServerFolder> {
  const dataDir = await existingDataDir(dataDirSetting);
  const recorded = await readRecord(dataDir);
  const self = process.geteuid!();
  if (!runsAsRoot()) {
    if (recorded !== null) {
      throw new StorageError(
        `DATA_DIR: the database of ${dataDir} was made by root and is in ${recorded}. Run as root, or use another DATA_DIR.`,
      );
    }
    const root = join(dataDir, 'postgres');
    await ownedFolder(root, 0o700, [self]);
    return folderAt(dataDir, root, null);
  }
  const nearby = join(dataDir, 'postgres');
  const owner = await clusterOwner(join(recorded ?? nearby, 'data'));
  const user = owner ?? systemServerUser();
  if (recorded !== null) return folderAt(dataDir, recorded, user);
  if (canReach(user, dataDir, 1)) {
    await ownedFolder(nearby, 0o711, [self, user.uid]);
    return folderAt(dataDir, nearby, user);
  }
  if (owner !== null) {
    throw new StorageError(
      `DATA_DIR: PostgreSQL runs as user ${user.name}, which can no longer enter ${dataDir}. ` +
        'Let others pass through it and the folders above it: chmod o+x.',
    );
  }
  return folderAt(dataDir, await moveOut(dataDir, user, log), user);
}

function folderAt(dataDir: string, root: string, user: ServerUser | null): ServerFolder {
  return {
    dataDir,
    root,
    cluster: join(root, 'data'),
    socket: join(root, 'socket'),
    logFile: join(dataDir, 'postgres.log'),
    user,
  };
}

async function existingDataDir(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true });
    return await realpath(path);
  } catch (error) {
    throw new StorageError(`DATA_DIR: cannot make ${path}: ${errorText(error)}`, { cause: error });
  }
}

/** A cluster that an ordinary user made goes on as that user's when root starts the service. */
async function clusterOwner(cluster: string): Promise<ServerUser | null> {
  const found = await stat(cluster).catch((error) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return null;
  if (found.uid === 0) {
    throw new StorageError(
      `${cluster} belongs to root, as which PostgreSQL does not run. Give it to its user: chown -R postgres ${cluster}`,
    );
  }
  return { uid: found.uid, gid: found.gid, name: String(found.uid) };
}

async function moveOut(dataDir: string, user: ServerUser, log: Log): Promise<string> {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const root = join(ROOT_STATE, name);
  await ownedFolder(ROOT_STATE, 0o711, [0]);
  await ownedFolder(root, 0o711, [0]);
  const record = join(dataDir, 'postgres.json');
  await writeFile(`${record}.new`, `${JSON.stringify({ dataDir, folder: root }, null, 2)}\n`);
  await rename(`${record}.new`, record);
  log.warn(
    { folder: root, dataDir, user: user.name },
    'the database is kept outside DATA_DIR, which the user that PostgreSQL runs as cannot enter; back up both',
  );
  return root;
}

/** The folder that DATA_DIR/postgres.json names, or null when there is no such file. */
async function readRecord(dataDir: string): Promise<string | null> {
  const path = join(dataDir, 'postgres.json');
  let record: { dataDir?: unknown; folder?: unknown };
  try {
    record = JSON.parse(await readFile(path, 'utf8')) as typeof record;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new StorageError(`${path} cannot be read: ${errorText(error)}`, { cause: error });
  }
  if (typeof record.folder !== 'string' || !record.folder.startsWith('/')) {
    throw new StorageError(`${path} names no folder. Restore it from a backup: it says where the database is.`);
  }
  // A copied DATA_DIR must not share its database with the original.
  if (record.dataDir !== dataDir) {
    throw new StorageError(
      `DATA_DIR: ${dataDir} was moved or copied from ${String(record.dataDir)}, whose database is in ${record.folder}. ` +
        `If it was moved, write its new place into ${path} as dataDir; if it was copied, delete ${path}.`,
    );
  }
  return record.folder;
}
