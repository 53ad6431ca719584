// Where the socket of the built-in server is: beside its data. The address of a Unix socket must be short, so if the
// path of DATA_DIR is long, the socket is in the folder for temporary files. Restarts keep the place, so that clients
// find the server.

import { chmod, lchown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Log } from '#engine/base/log.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { ownedFolder } from './owned-folder.ts';
import type { ServerFolder } from './server-folder.ts';
import { SERVER_PORT } from './server-settings.ts';
import { canReach, type ServerUser } from './server-user.ts';

/** The longest path in the address of a Unix socket on all supported systems. */
const SOCKET_PATH_BYTES_MAX = 103;
const TEMPORARY_NAME = /^slipstream-[A-Za-z0-9]{6}$/;

/** Makes the folder and returns its path. `earlier`: where the last server of this cluster listened, or null. */
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
  log.info({ socket: made }, 'the path of DATA_DIR is too long for a socket; using the folder for temporary files');
  return made;
}

/** Removes the folder if it is a temporary one. Call it after the server has stopped. */
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
