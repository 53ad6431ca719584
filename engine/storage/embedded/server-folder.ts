// Where the built-in PostgreSQL keeps its data: in DATA_DIR/postgres. If the service runs as root and the user that
// PostgreSQL runs as cannot enter DATA_DIR (because it is below /root, for example), the data is in a folder below
// /var/lib/slipstream, which DATA_DIR/postgres.json names.
//
// The service owns the folder, so that the server's user cannot interfere. The server's user owns the folders `data`
// and `socket` in it, and no other user can enter them. A process that can enter `socket` may connect: that is the only
// access control, and the server has no port.

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
  /** PostgreSQL's data folder. It exists once the cluster is complete. */
  readonly cluster: string;
  readonly socket: string;
  readonly logFile: string;
  /** The user that PostgreSQL runs as; null: this user. */
  readonly user: ServerUser | null;
}

const ROOT_STATE = '/var/lib/slipstream';

/** Finds or prepares the server's folder for this DATA_DIR. Throws a StorageError with the next step. */
export async function serverFolder(dataDirSetting: string, log: Log): Promise<ServerFolder> {
  const dataDir = await existingDataDir(dataDirSetting);
  const recorded = await readRecord(dataDir);
  const self = process.geteuid!();
  if (!runsAsRoot()) {
    if (recorded !== null) {
      throw new StorageError(
        `DATA_DIR: root has made the database of ${dataDir}, in ${recorded}. Run as root, or use another DATA_DIR.`,
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
        'Let other users enter it and the folders above it: chmod o+x.',
    );
  }
  return folderAt(dataDir, await moveOut(dataDir, user, log), user);
}

/** Whether there is a database for this DATA_DIR. Makes nothing. One that cannot be looked at counts: opening it says why. */
export async function hasBuiltInDatabase(dataDirSetting: string): Promise<boolean> {
  try {
    const dataDir = await realpath(dataDirSetting);
    await stat(folderAt(dataDir, (await readRecord(dataDir)) ?? join(dataDir, 'postgres'), null).cluster);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
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

/**
 * The owner of an existing cluster, or null. A cluster that an ordinary user made still runs as that user when root
 * starts the service.
 */
async function clusterOwner(cluster: string): Promise<ServerUser | null> {
  const found = await stat(cluster).catch((error) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return null;
  if (found.uid === 0) {
    throw new StorageError(
      `${cluster} belongs to root, but PostgreSQL does not run as root. Change the owner: chown -R postgres ${cluster}`,
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
    'the database is outside DATA_DIR, because the user that PostgreSQL runs as cannot enter it; back up both',
  );
  return root;
}

/** Returns the folder that DATA_DIR/postgres.json names, or null when there is no such file. */
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
    throw new StorageError(`${path} names no folder. Restore this file from a backup: it says where the database is.`);
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
