// Rows of the journal that were read last, unpacked. Until they are folded, a row has attempts of many endpoints, and
// whoever follows a log reads the newest ones again every few seconds.
//
// A row never changes, and no other one ever gets its number. Whether it is still there, the database says in each read.

import { LRUCache } from 'lru-cache';
import { LOG_JOURNAL_KEPT_BYTES_MAX } from '#engine/base/limits.ts';
import { JournalRow } from './journal-row.ts';
import { unpacked } from './packed-bytes.ts';

export class KeptJournalRows {
  /** By the number that each begins with. */
  readonly #rows = new LRUCache<bigint, { readonly row: JournalRow; readonly bytes: number }>({
    maxSize: LOG_JOURNAL_KEPT_BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes,
  });

  /** As they are now: another read may let go of one. */
  get all(): ReadonlyMap<bigint, JournalRow> {
    return new Map([...this.#rows.entries()].map(([firstLogNo, { row }]) => [firstLogNo, row]));
  }

  /** Null if it is not kept. One that is asked for stays longer. */
  row(firstLogNo: bigint): JournalRow | null {
    return this.#rows.get(firstLogNo)?.row ?? null;
  }

  keep(firstLogNo: bigint, data: Uint8Array): JournalRow {
    const bytes = unpacked(data);
    const row = new JournalRow(firstLogNo, bytes);
    this.#rows.set(firstLogNo, { row, bytes: bytes.length + 1 });
    return row;
  }
}
