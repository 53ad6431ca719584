// What can only be asked for, each time that metrics are read: the database, the disk, the process. Each question is bounded in
// time, and asked once at a time, so that reading often or in trouble costs no more.

import { readdir, readFile, statfs } from 'node:fs/promises';
import { METRICS_WAIT_MS } from '#engine/base/limits.ts';

export interface MachineParts {
  readonly dataDir: string;
  /** Asks the database for the number of this service's connections to it. */
  readonly databaseConnections: () => Promise<number>;
}

export interface MachineSample {
  /** Null: it does not answer in time. */
  readonly database: { readonly connections: number; readonly answerMs: number } | null;
  readonly disk: { readonly freeBytes: number; readonly bytes: number } | null;
  /** Null where the system does not say. */
  readonly files: { readonly open: number; readonly most: number } | null;
}

export class Machine {
  readonly #parts: MachineParts;
  #asking: Promise<MachineSample['database']> | null = null;

  constructor(parts: MachineParts) {
    this.#parts = parts;
  }

  async sample(): Promise<MachineSample> {
    const [database, disk, files] = await Promise.all([inTime(this.#database()), this.#disk(), openFiles()]);
    return { database, disk, files };
  }

  /** A question that is not answered yet is the one that counts. */
  #database(): Promise<MachineSample['database']> {
    this.#asking ??= this.#askDatabase().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askDatabase(): Promise<MachineSample['database']> {
    const startedMs = performance.now();
    try {
      const connections = await this.#parts.databaseConnections();
      return { connections, answerMs: performance.now() - startedMs };
    } catch {
      return null;
    }
  }

  async #disk(): Promise<MachineSample['disk']> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#parts.dataDir);
      return { freeBytes: bavail * bsize, bytes: blocks * bsize };
    } catch {
      return null;
    }
  }
}

/** Null when it takes too long; what comes of it then is nobody's. */
async function inTime<Value>(answer: Promise<Value | null>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), METRICS_WAIT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function openFiles(): Promise<MachineSample['files']> {
  try {
    const [files, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')]);
    const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return most === undefined ? null : { open: files.length, most: Number(most) };
  } catch {
    return null;
  }
}
