// A file that appears completely or not at all. The caller writes it under another name in the same folder and syncs
// it; then it is renamed.

import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileError } from './recording-error.ts';

let serial = 0;

export class StagedFile {
  readonly file: string;
  /** Where to write: a name that no other writer uses. It holds the process id. */
  readonly temporary: string;

  constructor(file: string) {
    serial++;
    this.file = file;
    this.temporary = `${file}.${process.pid}-${serial}.part`;
    try {
      mkdirSync(dirname(file), { recursive: true });
      removeLeftovers(file);
    } catch (error) {
      throw fileError(error, `writing ${file}`);
    }
  }

  /** Renames the file to its final name, replacing any earlier one, and syncs the folder. */
  publish(): void {
    try {
      renameSync(this.temporary, this.file);
      const folder = openSync(dirname(this.file), 'r');
      try {
        fsyncSync(folder);
      } finally {
        closeSync(folder);
      }
    } catch (error) {
      this.discard();
      throw fileError(error, `writing ${this.file}`);
    }
  }

  discard(): void {
    rmSync(this.temporary, { force: true });
  }
}

/** Removes unfinished versions of this file that dead processes have left. */
function removeLeftovers(file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.`)) continue;
    const pid = /\.(\d+)-\d+\.part$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
