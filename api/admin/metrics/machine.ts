// Samples the database, the disk and the process each time that metrics are scraped. The database query has a deadline,
// and only one runs at a time, so frequent scrapes or an outage cost no more.

import { readdir, readFile, statfs } from 'node:fs/promises';
import type { OverageFigures } from '#api/billing/overage/postgres-overage-figures.ts';
import type { JournalBacklog } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { inTime } from './in-time.ts';

export interface MachineParts {
  readonly dataDir: string;
  /** Queries the number of this service's connections to the database. */
  readonly databaseConnections: () => Promise<number>;
  /** Queries the journal of the delivery log. */
  readonly journalBacklog: () => Promise<JournalBacklog>;
  /** Queries what is known of overage. Absent: it is not billed. */
  readonly overage?: () => Promise<OverageFigures>;
}

export interface MachineSample {
  /** Null if it did not respond in time. */
  readonly database: {
    readonly connections: number;
    readonly answerMs: number;
    readonly journal: JournalBacklog;
    readonly overage: OverageFigures | null;
  } | null;
  readonly disk: { readonly freeBytes: number; readonly bytes: number } | null;
  /** Null on systems without /proc. */
  readonly files: { readonly open: number; readonly most: number } | null;
}

export class Machine {
  readonly #parts: MachineParts;
  #query: Promise<MachineSample['database']> | null = null;

  constructor(parts: MachineParts) {
    this.#parts = parts;
  }

  async sample(): Promise<MachineSample> {
    const [database, disk, files] = await Promise.all([inTime(this.#database()), this.#disk(), openFiles()]);
    return { database, disk, files };
  }

  /** Joins the query under way, if there is one. */
  #database(): Promise<MachineSample['database']> {
    this.#query ??= this.#queryDatabase().finally(() => {
      this.#query = null;
    });
    return this.#query;
  }

  async #queryDatabase(): Promise<MachineSample['database']> {
    const startedMs = performance.now();
    try {
      const connections = await this.#parts.databaseConnections();
      const answerMs = performance.now() - startedMs;
      const journal = await this.#parts.journalBacklog();
      return { connections, answerMs, journal, overage: (await this.#parts.overage?.()) ?? null };
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

async function openFiles(): Promise<MachineSample['files']> {
  try {
    const [files, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')]);
    const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return most === undefined ? null : { open: files.length, most: Number(most) };
  } catch {
    return null;
  }
}
