// Stores the history in PostgreSQL with one row per result, so operators can run their own queries. One statement reads
// everything, so it sees a single release. The server builds JSON per weekend. The rows of a list are arrays without
// field names: naming the fields in each of 55,000 rows would double the time.

import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import type {
  Circuit,
  Classification,
  History,
  HistoryConstructor,
  HistoryDriver,
  RaceWeekend,
  SeasonEntry,
} from './history.ts';
import type { HistoryStore, NamedWeekend } from './history-store.ts';

/** The lists of a weekend. */
type ListName = {
  [Name in keyof RaceWeekend]: RaceWeekend[Name] extends readonly object[] ? Name : never;
}[keyof RaceWeekend];

interface ListTable {
  readonly table: string;
  /** Set where the lists of Grand Prix and sprint share a table. */
  readonly race?: 'grand_prix' | 'sprint';
  readonly fields: readonly string[];
}

const PARTICIPANT = ['driverId', 'constructorId', 'number'];
const RESULT = {
  table: 'history_result',
  fields: [...PARTICIPANT, 'classification', 'laps', 'timeMs', 'gapMs', 'gapLaps', 'reasonRetired', 'points'],
};
const QUALIFYING = {
  table: 'history_qualifying',
  fields: [...PARTICIPANT, 'classification', 'q1Ms', 'q2Ms', 'q3Ms'],
};
const GRID = { table: 'history_grid', fields: [...PARTICIPANT, 'position'] };

const LISTS: Readonly<Record<ListName, ListTable>> = {
  practice: { table: 'history_practice', fields: [...PARTICIPANT, 'session', 'timeMs'] },
  qualifying: { ...QUALIFYING, race: 'grand_prix' },
  grid: { ...GRID, race: 'grand_prix' },
  results: { ...RESULT, race: 'grand_prix' },
  fastestLaps: { table: 'history_fastest_lap', fields: [...PARTICIPANT, 'rank', 'lap', 'timeMs'] },
  pitStops: { table: 'history_pit_stop', fields: [...PARTICIPANT, 'stop', 'lap', 'timeMs'] },
  sprintQualifying: { ...QUALIFYING, race: 'sprint' },
  sprintGrid: { ...GRID, race: 'sprint' },
  sprintResults: { ...RESULT, race: 'sprint' },
  driverStandings: { table: 'history_driver_standing', fields: ['driverId', 'position', 'points'] },
  constructorStandings: {
    table: 'history_constructor_standing',
    fields: ['constructorId', 'engineManufacturerId', 'position', 'points'],
  },
};
const LIST_NAMES = Object.keys(LISTS) as ListName[];

type Scalar = string | number | boolean | null;
/** A weekend as the database returns it: the rows of its lists are arrays of field values. */
type StoredWeekend = Omit<RaceWeekend, ListName> & Readonly<Record<ListName, readonly (readonly Scalar[])[]>>;

interface Names {
  readonly drivers: readonly HistoryDriver[];
  readonly constructors: readonly HistoryConstructor[];
}

interface Everything extends Names {
  readonly known: boolean;
  readonly circuits: readonly Circuit[];
  readonly entries: readonly SeasonEntry[];
  readonly weekends: readonly StoredWeekend[];
}

export class PostgresHistoryStore implements HistoryStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async replace(history: History, digest: string): Promise<void> {
    const tables = tablesOf(history);
    await this.#sql.begin(async (transaction) => {
      await lock(transaction);
      for (const table of [...tables.keys()].reverse()) await transaction`delete from ${transaction(table)}`;
      for (const [table, rows] of tables) await insert(transaction, table, rows);
      await putRelease(transaction, history, digest);
    });
  }

  async load(): Promise<History | null> {
    const [row] = await this.#sql<Everything[]>`
      select
        exists (select from history_release) as known,
        ${this.#names()},
        (select json_agg(json_build_object('circuitId', circuit_id, 'name', name, 'type', type) order by circuit_id)
          from history_circuit) as circuits,
        (select coalesce(json_agg(json_build_object('season', season, 'driverId', driver_id,
          'constructorId', constructor_id, 'rounds', rounds, 'testDriver', test_driver) order by place), '[]')
          from history_entry) as entries,
        (select json_agg(${this.#weekendJson()} order by season, round) from history_weekend w) as weekends`;
    const { known, circuits, entries, weekends, ...names } = row!;
    if (!known) return null;
    return {
      circuits: new Map(circuits.map((circuit) => [circuit.circuitId, circuit])),
      ...mapsOf(names),
      entries,
      weekends: weekends.map(weekendOf),
    };
  }

  async digest(): Promise<string | null> {
    const [row] = await this.#sql<{ digest: string }[]>`select digest from history_release`;
    return row?.digest ?? null;
  }

  async weekend(eventId: string): Promise<NamedWeekend | null> {
    const [row] = await this.#sql<(Names & { readonly weekend: StoredWeekend })[]>`
      select ${this.#names()}, ${this.#weekendJson()} as weekend from history_weekend w where event_id = ${eventId}`;
    return row === undefined ? null : { weekend: weekendOf(row.weekend), ...mapsOf(row) };
  }

  #names() {
    return this.#sql`
      (select json_agg(json_build_object('driverId', driver_id, 'name', name, 'tla', tla, 'dateOfBirth', date_of_birth)
        order by driver_id) from history_driver) as drivers,
      (select json_agg(json_build_object('constructorId', constructor_id, 'name', name) order by constructor_id)
        from history_constructor) as constructors`;
  }

  /** The JSON of the weekend row `w`. */
  #weekendJson() {
    return this.#sql`json_build_object('eventId', event_id, 'season', season, 'round', round, 'name', name,
      'circuitId', circuit_id, 'layoutId', layout_id, 'day', day, 'startUtcMs', extract(epoch from start_at) * 1000,
      'laps', laps, 'scheduledLaps', scheduled_laps, 'hasSprint', has_sprint,
      ${this.#sql.unsafe(LIST_NAMES.map((name) => `'${name}', ${listJson(LISTS[name])}`).join(', '))})`;
  }
}

/** The rows of a list that belong to the weekend row `w`, in order. */
function listJson({ table, race, fields }: ListTable): string {
  const values = fields.map((field) =>
    field === 'classification' ? 'coalesce(to_json(position), to_json(reason))' : columnOf(field),
  );
  return `(select coalesce(json_agg(json_build_array(${values.join(', ')}) order by place), '[]') from ${table} r
    where r.event_id = w.event_id ${race === undefined ? '' : `and race = '${race}'`})`;
}

function weekendOf(stored: StoredWeekend): RaceWeekend {
  const lists = LIST_NAMES.map((name) => [name, stored[name].map((values) => entryOf(LISTS[name].fields, values))]);
  return { ...stored, ...Object.fromEntries(lists) };
}

function entryOf(fields: readonly string[], values: readonly Scalar[]): object {
  const entry: Record<string, unknown> = {};
  for (const [index, field] of fields.entries()) {
    const value = values[index]!;
    entry[field] = field === 'classification' ? classificationOf(value) : value;
  }
  return entry;
}

function classificationOf(value: Scalar): Classification {
  return typeof value === 'number'
    ? { kind: 'classified', position: value }
    : { kind: 'not_classified', reason: value as Extract<Classification, { kind: 'not_classified' }>['reason'] };
}

/** Serialises replacements. Readers are not blocked. */
async function lock(transaction: TransactionSql): Promise<void> {
  await transaction`lock table history_release in share row exclusive mode`;
}

/** The keys of each row are the columns of the table. */
async function insert(transaction: TransactionSql, table: string, rows: readonly object[]): Promise<void> {
  await transaction`
    insert into ${transaction(table)}
    select * from jsonb_populate_recordset(null::${transaction(table)}, ${transaction.json(rows as never)})`;
}

async function putRelease(transaction: TransactionSql, { weekends }: History, digest: string): Promise<void> {
  await transaction`
    insert into history_release (digest, first_season, last_season, races)
    values (${digest}, ${weekends[0]!.season}, ${weekends.at(-1)!.season}, ${weekends.length})
    on conflict (only_one) do update set (digest, imported_at, first_season, last_season, races)
      = (excluded.digest, excluded.imported_at, excluded.first_season, excluded.last_season, excluded.races)`;
}

/** The rows by table, in the order of insertion: referenced tables come first. */
function tablesOf({
  circuits,
  drivers,
  constructors,
  entries,
  weekends,
}: History): ReadonlyMap<string, readonly object[]> {
  const tables = new Map<string, object[]>([
    ['history_circuit', [...circuits.values()].map(rowOf)],
    ['history_driver', [...drivers.values()].map(rowOf)],
    ['history_constructor', [...constructors.values()].map(rowOf)],
    ['history_entry', entries.map((entry, index) => rowOf({ ...entry, place: index + 1 }))],
    ['history_weekend', weekends.map(weekendRow)],
  ]);
  for (const name of LIST_NAMES) {
    const { table, race } = LISTS[name];
    const rows = weekends.flatMap(({ eventId, [name]: list }) =>
      list.map((entry, index) => rowOf({ ...entry, race, eventId, place: index + 1 })),
    );
    tables.set(table, [...(tables.get(table) ?? []), ...rows]);
  }
  return tables;
}

/** The row of a weekend, without its lists. */
function weekendRow({ startUtcMs, ...weekend }: RaceWeekend): object {
  const facts = Object.entries(weekend).filter(([field]) => !Object.hasOwn(LISTS, field));
  return rowOf({
    ...Object.fromEntries(facts),
    startAt: startUtcMs === null ? null : new Date(startUtcMs).toISOString(),
  });
}

/** Position and reason of a classification have their own columns. */
function rowOf(entry: object): object {
  const row: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(entry)) {
    if (field === 'classification') Object.assign(row, value);
    else row[columnOf(field)] = value;
  }
  return row;
}

/** A column has the name of its field, in snake case. */
function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function mapsOf({ drivers, constructors }: Names): Pick<History, 'drivers' | 'constructors'> {
  return {
    drivers: new Map(drivers.map((driver) => [driver.driverId, driver])),
    constructors: new Map(constructors.map((team) => [team.constructorId, team])),
  };
}
