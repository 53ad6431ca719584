// The user that PostgreSQL runs as. It refuses to run as root, so a service that runs as root starts it as another
// system user. Everything that this user needs must be checked against the permissions of that user, not ours.

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageError } from '#engine/storage/storage-error.ts';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

const CANDIDATES = ['postgres', '_postgres', 'nobody'] as const;

/** Whether this process runs as root, so that PostgreSQL must run as another user. */
export function runsAsRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** Returns the system user that a root process starts PostgreSQL as. Never creates a user. */
export function systemServerUser(passwd = readFileSync('/etc/passwd', 'utf8')): ServerUser {
  const users = new Map(
    passwd.split('\n').map((line) => {
      const [name = '', , uid, gid] = line.split(':');
      return [name, { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }];
    }),
  );
  for (const name of CANDIDATES) {
    const user = users.get(name);
    if (user !== undefined && user.uid !== 0) return user;
  }
  throw new StorageError(
    'PostgreSQL does not run as root, and this system has neither a user postgres nor nobody to run it as. ' +
      'Start the service as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * Whether `user` can enter every folder above `path` and has the `wanted` permissions on it (4 read, 1 enter or run).
 */
export function canReach(user: ServerUser, path: string, wanted: number): boolean {
  try {
    let place = realpathSync(path);
    let needed = wanted;
    while (true) {
      if ((rightsOf(user, place) & needed) !== needed) return false;
      const above = dirname(place);
      if (above === place) return true;
      place = above;
      needed = 1;
    }
  } catch {
    return false;
  }
}

function rightsOf(user: ServerUser, path: string): number {
  const { mode, uid, gid } = statSync(path);
  if (uid === user.uid) return (mode >> 6) & 7;
  if (gid === user.gid) return (mode >> 3) & 7;
  return mode & 7;
}
