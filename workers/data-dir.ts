// Creates DATA_DIR and checks it before anything is kept in it. A problem with the folder is thus reported as a setting
// to change, and not by the first part of the service that fails on it.

import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from './config.ts';

/** Others cannot list it. The user that PostgreSQL runs as, where that is another one, has to enter it. */
const DATA_DIR_MODE = 0o711;

/** Makes the folder and its parents, and checks that this user may write there. Throws a ConfigError otherwise. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir, DATA_DIR_MODE);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError([`DATA_DIR: ${problemWith(dataDir, error)}`]);
  }
}

/**
 * Makes one folder at a time: recursive mkdir never returns in some places (/proc) and hides the cause of a failure in
 * others.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found?.isDirectory()) return;
  if (found !== null)
    throw Object.assign(new Error('it is a file and no folder'), { code: 'ENOTDIR', syscall: 'mkdir' });
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    // Another process has just made it.
    if (error.code !== 'EEXIST') throw error;
  });
}

function problemWith(dataDir: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOTDIR':
      return `${dataDir} cannot be used: it, or a part of its path, is a file and not a folder`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not write in ${dataDir}; change its owner or permissions, or choose another folder`;
    case 'EROFS':
      return `${dataDir} is on a read-only disk; choose another folder`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk of ${dataDir} is full; make room, or choose another folder`;
    default:
      return `${dataDir} cannot be used (${error instanceof Error ? error.message : String(error)}); choose another folder`;
  }
}
