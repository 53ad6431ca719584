// Files of unrecorded batches on disk, in DATA_DIR/unrecorded. Only this user can read them: they hold what endpoints
// answered.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { StagedFile } from '#engine/base/staged-file.ts';
import type { UnrecordedFiles } from './unrecorded-batches.ts';

/** The name of the folder in DATA_DIR, and the end of the names of its files. */
export const UNRECORDED_FOLDER = 'unrecorded';
export const UNRECORDED_SUFFIX = '.batches';

export class UnrecordedFolder implements UnrecordedFiles {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, UNRECORDED_FOLDER);
  }

  names(): string[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(UNRECORDED_SUFFIX))
      .map((name) => name.slice(0, -UNRECORDED_SUFFIX.length))
      .sort();
  }

  write(name: string, parts: readonly Uint8Array[]): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const staged = new StagedFile(this.#path(name));
    try {
      const file = openSync(staged.temporary, 'wx', 0o600);
      try {
        for (const part of parts) for (let done = 0; done < part.length; ) done += writeSync(file, part, done);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      staged.discard();
      throw error;
    }
    staged.publish();
  }

  read(name: string): Uint8Array {
    return readFileSync(this.#path(name));
  }

  remove(name: string): void {
    rmSync(this.#path(name));
    this.#sync();
  }

  setAside(name: string, reason: 'damaged' | 'refused'): string {
    const aside = `${name}.${reason}`;
    renameSync(this.#path(name), join(this.folder, aside));
    this.#sync();
    return aside;
  }

  #path(name: string): string {
    return join(this.folder, `${name}${UNRECORDED_SUFFIX}`);
  }

  /** Makes a change of names durable. */
  #sync(): void {
    const folder = openSync(this.folder, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }
}
