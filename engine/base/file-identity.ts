// A file's size, inode and times of change: the same as long as nobody replaces or writes to it.

import { stat } from 'node:fs/promises';

export type FileIdentity = string;

/** Null when there is no such file. */
export async function fileIdentity(file: string): Promise<FileIdentity | null> {
  try {
    const { size, ino, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return `${size}:${ino}:${mtimeNs}:${ctimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
