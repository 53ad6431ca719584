// The attempts of one group commit as one row of the journal: a directory of its endpoints, then the attempts of each
// (attempt-columns.ts). Folding finds an endpoint's part without reading the others.

import { ByteReader } from '#engine/base/byte-reader.ts';
import { ByteWriter } from '#engine/base/byte-writer.ts';
import { type NumberedAttempts, readAttempts, writeAttempts } from './attempt-columns.ts';
import type { AttemptRecord } from './record-store.ts';

export interface JournalBytes {
  /** Rising. */
  readonly webhookNos: readonly number[];
  /** The next row changes them. */
  readonly bytes: Uint8Array;
}

/** Makes rows, one after the other. */
export class JournalRowWriter {
  readonly #body = new ByteWriter();
  readonly #row = new ByteWriter();

  /** Yields after about every `yieldAfter` attempts, so that other work can come first. */
  *write(attempts: readonly AttemptRecord[], yieldAfter: number): Generator<undefined, JournalBytes> {
    const byEndpoint = new Map<number, { attempts: AttemptRecord[]; offsets: number[] }>();
    attempts.forEach((attempt, offset) => {
      let own = byEndpoint.get(attempt.webhookNo);
      if (own === undefined) {
        own = { attempts: [], offsets: [] };
        byEndpoint.set(attempt.webhookNo, own);
      }
      own.attempts.push(attempt);
      own.offsets.push(offset);
    });
    const webhookNos = [...byEndpoint.keys()].sort((a, b) => a - b);
    this.#body.clear();
    this.#row.clear();
    this.#row.number(webhookNos.length);
    let last = 0;
    let since = 0;
    for (const webhookNo of webhookNos) {
      const own = byEndpoint.get(webhookNo)!;
      if (since + own.attempts.length > yieldAfter && since > 0) {
        yield;
        since = 0;
      }
      since += own.attempts.length;
      const from = this.#body.length;
      writeAttempts(this.#body, own);
      this.#row.number(webhookNo - last);
      this.#row.number(this.#body.length - from);
      last = webhookNo;
    }
    this.#row.bytes(this.#body.view());
    return { webhookNos, bytes: this.#row.view() };
  }
}

export class JournalRow {
  /** The number that its offsets count from. */
  readonly firstLogNo: bigint;
  readonly #parts = new Map<number, Uint8Array>();

  constructor(firstLogNo: bigint, bytes: Uint8Array) {
    this.firstLogNo = firstLogNo;
    const reader = new ByteReader(bytes);
    const endpoints = reader.number();
    const directory: [webhookNo: number, bytes: number][] = [];
    for (let i = 0, webhookNo = 0; i < endpoints; i++) {
      webhookNo += reader.number();
      directory.push([webhookNo, reader.number()]);
    }
    for (const [webhookNo, length] of directory) this.#parts.set(webhookNo, reader.bytes(length));
  }

  /** Rising. */
  get webhookNos(): IterableIterator<number> {
    return this.#parts.keys();
  }

  /** Null if it has none of this endpoint. */
  of(webhookNo: number): NumberedAttempts | null {
    const part = this.#parts.get(webhookNo);
    return part === undefined ? null : readAttempts(part, webhookNo);
  }
}
