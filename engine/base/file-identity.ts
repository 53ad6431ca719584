// The identity of a file: its size, inode and change times. It stays the same until the file is replaced or written to.

import { stat } from 'node:fs/promises';

export type FileIdentity = string;

/** Returns null when there is no such file. */
export async function fileIdentity(file: string): Promise<FileIdentity | null> {
  try {
    const { size, ino, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return `${size}:${ino}:${mtimeNs}:${ctimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The size of the file in bytes. */
export function sizeOf(identity: FileIdentity): number {
  return Number(identity.slice(0, identity.indexOf(':')));
}
