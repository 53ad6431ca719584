// The attempts of one group commit as one row of the journal: a directory of its endpoints, then the attempts of each
// (attempt-columns.ts). Folding finds an endpoint's part without reading the others.

import { assert } from '#engine/base/assert.ts';
import { ByteReader } from '#engine/base/byte-reader.ts';
import { ByteWriter } from '#engine/base/byte-writer.ts';
import { LOG_BLOCK_NUMBERS_MAX } from '#engine/base/limits.ts';
import { AttemptsWriter, type NumberedAttempts, readAttempts } from './attempt-columns.ts';
import { AttemptList } from './attempt-list.ts';
import type { Attempts } from './record-store.ts';

/** An integer of PostgreSQL. */
const WEBHOOK_NO_MAX = 2 ** 31 - 1;

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
  readonly #own = new AttemptsWriter(this.#body);

  /** Yields after about every `yieldAfter` attempts, so that other work can come first. */
  *write(attempts: Attempts, yieldAfter: number): Generator<undefined, JournalBytes> {
    const list = AttemptList.from(attempts);
    const places = placesByEndpoint(list);
    const webhookNos: number[] = [];
    const lengths: number[] = [];
    // Places in the list, which are the offsets, too. Used again for each endpoint: most have one attempt.
    const own: number[] = [];
    this.#body.clear();
    let since = 0;
    for (let from = 0, to = 0; from < places.length; from = to) {
      const webhookNo = list.webhookNo(offsetAt(places, from));
      for (; to < places.length; to++) {
        const offset = offsetAt(places, to);
        if (list.webhookNo(offset) !== webhookNo) break;
        own[to - from] = offset;
      }
      own.length = to - from;
      if (since + to - from > yieldAfter && since > 0) {
        yield;
        since = 0;
      }
      since += to - from;
      const written = this.#body.length;
      this.#own.write(list, own, own);
      webhookNos.push(webhookNo);
      lengths.push(this.#body.length - written);
    }
    this.#writeRow(webhookNos, lengths);
    return { webhookNos, bytes: this.#row.view() };
  }

  #writeRow(webhookNos: readonly number[], lengths: readonly number[]): void {
    this.#row.clear();
    this.#row.number(webhookNos.length);
    for (let i = 0, last = 0; i < webhookNos.length; i++) {
      this.#row.number(webhookNos[i]! - last);
      this.#row.number(lengths[i]!);
      last = webhookNos[i]!;
    }
    this.#row.bytes(this.#body.view());
  }
}

/** Endpoint and offset of each attempt as one number, rising. */
function placesByEndpoint(list: AttemptList): Float64Array {
  const places = new Float64Array(list.length);
  for (let offset = 0; offset < list.length; offset++) {
    const webhookNo = list.webhookNo(offset);
    assert(webhookNo <= WEBHOOK_NO_MAX, 'the number of an endpoint is one of its column');
    places[offset] = webhookNo * LOG_BLOCK_NUMBERS_MAX + offset;
  }
  return places.sort();
}

function offsetAt(places: Float64Array, place: number): number {
  return places[place]! % LOG_BLOCK_NUMBERS_MAX;
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
