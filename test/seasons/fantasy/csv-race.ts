// Reads a race weekend straight from the files of an f1db release, for a check that shares no code with the engine.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { F1DB } from '#test/support/shared-data.ts';

export type Row = Readonly<Record<string, string>>;

/** A field is bare or quoted; quotes inside are doubled. An empty field is an empty string. */
function rowsOf(file: string): readonly Row[] {
  const [head, ...lines] = readFileSync(join(F1DB, `${file}.csv`), 'utf8')
    .trimEnd()
    .split(/\r?\n/);
  const cells = (line: string): string[] =>
    Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, bare]) =>
      (quoted ?? bare ?? '').replaceAll('""', '"'),
    );
  const names = cells(head!);
  return lines.map((line) => {
    const values = cells(line);
    return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
  });
}

const tables = new Map<string, Map<string, Row[]>>();

/** The rows of one race, in the order of the file. */
export function raceRows(file: string, raceId: string): readonly Row[] {
  let table = tables.get(file);
  if (table === undefined) {
    table = Map.groupBy(rowsOf(file), (row) => row.raceId!);
    tables.set(file, table);
  }
  return table.get(raceId) ?? [];
}

/** The id of a race in the release, by season and round. */
export function csvRaceId(season: number, round: number): string {
  const race = rowsOf('f1db-races').find((row) => row.year === `${season}` && row.round === `${round}`);
  if (race === undefined) throw new Error(`no round ${round} of ${season}`);
  return race.id!;
}

/** The `name` or `abbreviation` of a driver or constructor. */
export function csvNames(file: string, field: string): ReadonlyMap<string, string> {
  return new Map(rowsOf(file).map((row) => [row.id!, row[field]!]));
}
