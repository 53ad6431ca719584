// A table of a release whose rows other tables reference by id. Rows are parsed at the first reference, because most
// drivers and circuits of a release belong to seasons that are not read.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CsvRecord, readCsv } from '#engine/base/csv-records.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { ADVICE } from './f1db-fields.ts';

/** `Column`: the columns besides the id. */
export class F1dbTable<Column extends string, Entity> {
  readonly #file: string;
  readonly #rows: ReadonlyMap<string | null, CsvRecord<Column | 'id'>>;
  readonly #read: (row: CsvRecord<Column | 'id'>, id: string) => Entity;
  readonly #referred = new Map<string, Entity>();

  constructor(
    folder: string,
    file: string,
    columns: readonly Column[],
    read: (row: CsvRecord<Column | 'id'>, id: string) => Entity,
  ) {
    this.#file = file;
    const rows = new Map<string | null, CsvRecord<Column | 'id'>>();
    for (const row of readCsv(tablePath(folder, file), ['id', ...columns])) {
      const { id } = row.values;
      if (rows.has(id)) throw new SourceError(row.where, `id ${JSON.stringify(id)} appears twice`, ADVICE);
      rows.set(id, row);
    }
    this.#rows = rows;
    this.#read = read;
  }

  /** Returns the entity whose id is in the column. Throws a SourceError if there is none. */
  at<Referring extends string>(row: CsvRecord<Referring>, column: NoInfer<Referring>): Entity {
    const id = row.values[column];
    const known = id === null ? undefined : this.#referred.get(id);
    if (known !== undefined) return known;
    const found = this.#rows.get(id);
    if (id === null || found === undefined) {
      throw new SourceError(row.where, `${column} ${JSON.stringify(id)} is not in ${this.#file}`, ADVICE);
    }
    const entity = this.#read(found, id);
    this.#referred.set(id, entity);
    return entity;
  }

  /** The entities that were referenced, sorted by id. */
  referred(): ReadonlyMap<string, Entity> {
    return new Map([...this.#referred].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Throws a SourceError when the release lacks the table. */
export function tablePath(folder: string, file: string): string {
  const path = join(folder, file);
  if (!existsSync(path)) throw new SourceError(file, 'this table is missing', ADVICE);
  return path;
}
