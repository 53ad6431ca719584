// Where the built-in server's socket is: beside its data, or, because the address of a Unix socket is short, in a folder for
// temporary files when DATA_DIR's path is long. Restarts keep the place, so that clients find the server again.

import { chmod, lchown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Log } from '#engine/base/log.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { ownedFolder } from './owned-folder.ts';
import type { ServerFolder } from './server-folder.ts';
import { SERVER_PORT } from './server-settings.ts';
import { canReach, type ServerUser } from './server-user.ts';

/** Room for a path in the address of a Unix socket, on every system that we run on. */
const SOCKET_PATH_BYTES_MAX = 103;
const TEMPORARY_NAME = /^slipstream-[A-Za-z0-9]{6}$/;

/** Makes the folder. `earlier` is where the last server of this cluster listened, or null. */
export async function socketFolder(folder: ServerFolder, earlier: string | null, log: Log): Promise<string> {
  const kept = earlier !== null && isTemporary(earlier) ? earlier : folder.socket;
  if (fits(kept)) {
    const present = await stat(kept).catch(() => null);
    await ownedFolder(kept, 0o700, [present === null ? process.geteuid!() : (folder.user?.uid ?? process.geteuid!())]);
    if (present === null) await giveTo(folder.user, kept);
    return kept;
  }
  const { user } = folder;
  const base = [tmpdir(), '/tmp'].find(
    (path) => fits(join(path, 'slipstream-123456')) && (user === null || canReach(user, path, 1)),
  );
  if (base === undefined) throw new StorageError('DATA_DIR: its path is too long for a socket. Use a shorter one.');
  const made = await mkdtemp(join(base, 'slipstream-'));
  await chmod(made, 0o700);
  await giveTo(user, made);
  log.info({ socket: made }, 'the path of DATA_DIR is too long for a socket; it is in the folder for temporary files');
  return made;
}

/** Removes a temporary one after the server has stopped. */
export async function removeTemporarySocketFolder(path: string): Promise<void> {
  if (isTemporary(path)) await rm(path, { recursive: true, force: true });
}

function isTemporary(path: string): boolean {
  return TEMPORARY_NAME.test(basename(path));
}

function fits(path: string): boolean {
  return Buffer.byteLength(`${path}/.s.PGSQL.${SERVER_PORT}`) <= SOCKET_PATH_BYTES_MAX;
}

async function giveTo(user: ServerUser | null, path: string): Promise<void> {
  if (user !== null) await lchown(path, user.uid, user.gid);
}
