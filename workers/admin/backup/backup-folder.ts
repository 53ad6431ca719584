// The folder of a backup: `manifest.json`, `tables/NAME.copy.gz` and the files of DATA_DIR under their own paths. Other
// users cannot read it. Symbolic links are neither followed nor copied.

import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaCheck } from '#api/http/schema-check.ts';
import { BACKUP_MANIFEST_BYTES_MAX } from '#engine/base/limits.ts';
import { errorCode, errorText, StorageError } from '#engine/storage/storage-error.ts';
import { BackupManifest, type BackupTable } from '#schemas/backup/manifest.ts';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

const check = schemaCheck(BackupManifest, 'the manifest');

export function tableFile(folder: string, { name }: Pick<BackupTable, 'name'>): string {
  return join(folder, 'tables', `${name}.copy.gz`);
}

/** Opens a file for reading. Fails on a symbolic link. */
export function openPlainFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
}

export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const file = await open(join(folder, 'manifest.json'), 'wx', PRIVATE_FILE);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Throws a StorageError when the folder is not a backup. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, 'manifest.json');
  const file = await openPlainFile(path).catch((error) => {
    const reason = errorCode(error) === 'ENOENT' ? 'it has no manifest.json' : errorText(error);
    throw new StorageError(`${folder} is not a backup: ${reason}. Name a folder that "backup" has written.`);
  });
  let manifest: unknown;
  try {
    if ((await file.stat()).size > BACKUP_MANIFEST_BYTES_MAX) throw new Error('it is too large');
    manifest = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new StorageError(`${path} cannot be read: ${errorText(error)}.`);
  } finally {
    await file.close();
  }
  const [violation] = check(manifest);
  if (violation !== undefined) throw new StorageError(`${path} is not the manifest of a backup: ${violation}`);
  return manifest as BackupManifest;
}
