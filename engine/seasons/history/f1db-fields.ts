// Typed readers for the fields of a release's tables. Each throws a SourceError that names file, line and column.

import type { CsvRecord } from '#engine/base/csv-records.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { Classification } from './history.ts';

export const ADVICE = 'Check that this is the CSV release of f1db, and download it again; nothing was imported';

type Reason = Extract<Classification, { readonly kind: 'not_classified' }>['reason'];

const REASONS: Readonly<Record<Reason, true>> = {
  DNF: true,
  DNS: true,
  DSQ: true,
  NC: true,
  DNP: true,
  EX: true,
  DNQ: true,
  DNPQ: true,
};

/**
 * At most nine digits. The numbers of a release, even milliseconds, stay far below; ten would not fit the database's
 * integers.
 */
const WHOLE = /^\d{1,9}$/;
const DECIMAL = /^\d{1,5}(?:\.\d{1,4})?$/;

export function textOf<Column extends string>(row: CsvRecord<Column>, column: NoInfer<Column>): string {
  const text = row.values[column];
  if (text === null || text === '') throw new SourceError(row.where, `${column} is empty`, ADVICE);
  return text;
}

export function numberOrNull<Column extends string>(row: CsvRecord<Column>, column: NoInfer<Column>): number | null {
  const text = row.values[column];
  if (text === null) return null;
  if (!WHOLE.test(text)) throw wrong(row, column, 'a whole number');
  return Number(text);
}

export function numberOf<Column extends string>(row: CsvRecord<Column>, column: NoInfer<Column>): number {
  const number = numberOrNull(row, column);
  if (number === null) throw new SourceError(row.where, `${column} is empty`, ADVICE);
  return number;
}

/** 0 for an empty field: a release leaves the field empty instead of writing 0. */
export function pointsOf<Column extends string>(row: CsvRecord<Column>, column: NoInfer<Column>): number {
  const text = row.values[column];
  if (text === null) return 0;
  if (!DECIMAL.test(text)) throw wrong(row, column, 'a number of points');
  return Number(text);
}

export function flagOf<Column extends string>(row: CsvRecord<Column>, column: NoInfer<Column>): boolean {
  const text = row.values[column];
  if (text !== 'true' && text !== 'false') throw wrong(row, column, 'true or false');
  return text === 'true';
}

/** Numbers separated by semicolons. Empty for an empty field. */
export function numbersOf<Column extends string>(row: CsvRecord<Column>, column: NoInfer<Column>): readonly number[] {
  const text = row.values[column];
  if (text === null || text === '') return [];
  const parts = text.split(';');
  if (!parts.every((part) => WHOLE.test(part))) throw wrong(row, column, 'a list of whole numbers');
  return parts.map(Number);
}

export function dayOrNull<Column extends string>(row: CsvRecord<Column>, column: NoInfer<Column>): string | null {
  const day = row.values[column];
  if (day !== null && utcMs(`${day}T00:00:00.000Z`) === null) throw wrong(row, column, 'a day such as 2018-04-29');
  return day;
}

/** Unix epoch milliseconds of a UTC day and time of day. Null: the time of day is not known. */
export function startOrNull<Column extends string>(
  row: CsvRecord<Column>,
  day: string,
  column: NoInfer<Column>,
): number | null {
  const time = row.values[column];
  if (time === null) return null;
  const startUtcMs = utcMs(`${day}T${time}:00.000Z`);
  if (startUtcMs === null) throw wrong(row, column, 'a time of day such as 12:10');
  return startUtcMs;
}

/** A position, or the reason why there is none. */
export function classificationOf<Column extends string>(
  row: CsvRecord<Column>,
  column: NoInfer<Column>,
): Classification {
  const text = textOf(row, column);
  if (WHOLE.test(text)) return { kind: 'classified', position: Number(text) };
  if (!Object.hasOwn(REASONS, text))
    throw wrong(row, column, `a position or one of ${Object.keys(REASONS).join(', ')}`);
  return { kind: 'not_classified', reason: text as Reason };
}

export function wrong<Column extends string>(
  row: CsvRecord<Column>,
  column: NoInfer<Column>,
  wanted: string,
): SourceError {
  return new SourceError(row.where, `${column} ${JSON.stringify(row.values[column])} is not ${wanted}`, ADVICE);
}

/** Null for an invalid date. Date.parse alone would accept days such as 31 April and roll over into the next month. */
function utcMs(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text ? null : ms;
}
