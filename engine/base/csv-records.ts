// A strict reader of CSV tables (RFC 4180): a lenient one would accept a damaged table. An empty field is null, and
// `""` is the empty text. Columns are found by their header, because releases add and move them.

import { basename } from 'node:path';
import { SourceError } from './source-error.ts';
import { readSourceText } from './source-text.ts';

export interface CsvRecord<Column extends string> {
  /** For errors: `f1db-races.csv:12`. */
  readonly where: string;
  readonly values: Readonly<Record<Column, string | null>>;
}

interface Row {
  readonly line: number;
  readonly fields: readonly (string | null)[];
}

const ADVICE = 'Download this file again; nothing was imported';
/** An unquoted field: everything up to a comma, a line end or a quote. */
const BARE = /[^,\r\n"]*/y;
/** A quoted field with its quotes; a quote inside is doubled. */
const QUOTED = /"(?:[^"]|"")*"/y;
const END = /,|\r?\n|$/y;

/** Returns the named columns of every row after the header. Throws a SourceError that names file and line. */
export function readCsv<const Column extends string>(path: string, columns: readonly Column[]): CsvRecord<Column>[] {
  const name = basename(path);
  const [header, ...rows] = parseRows(readSourceText(path), name);
  if (header === undefined) throw new SourceError(name, 'it is empty', ADVICE);
  const places = columns.map((column) => {
    const place = header.fields.indexOf(column);
    if (place === -1)
      throw new SourceError(`${name}:1`, `there is no column ${column}`, 'Check that this is the right table');
    return [column, place] as const;
  });
  return rows.map(({ line, fields }) => {
    const where = `${name}:${line}`;
    if (fields.length !== header.fields.length) {
      throw new SourceError(where, `${fields.length} fields instead of ${header.fields.length}`, ADVICE);
    }
    const values = Object.fromEntries(places.map(([column, place]) => [column, fields[place]!]));
    return { where, values: values as Record<Column, string | null> };
  });
}

function parseRows(text: string, name: string): Row[] {
  const rows: Row[] = [];
  let line = 1;
  let position = 0;
  while (position < text.length) {
    const row: { readonly line: number; readonly fields: (string | null)[] } = { line, fields: [] };
    for (let separator = ','; separator === ','; ) {
      const quoted = text[position] === '"';
      const field = matchAt(quoted ? QUOTED : BARE, text, position);
      if (field === null) throw new SourceError(`${name}:${line}`, 'a quoted field is not closed', ADVICE);
      position += field.length;
      const end = matchAt(END, text, position);
      if (end === null) throw new SourceError(`${name}:${line}`, 'there is a quote where none is allowed', ADVICE);
      position += end.length;
      separator = end;
      row.fields.push(quoted ? field.slice(1, -1).replaceAll('""', '"') : field === '' ? null : field);
      if (quoted) line += field.split('\n').length - 1;
    }
    line++;
    rows.push(row);
  }
  return rows;
}

function matchAt(pattern: RegExp, text: string, position: number): string | null {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? null;
}
