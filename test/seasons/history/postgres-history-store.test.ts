import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { Classification, History, RaceWeekend } from '#engine/seasons/history/history.ts';
import { historyDigest } from '#engine/seasons/history/history-digest.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import { withDatabase } from '#test/support/database.ts';
import { F1DB, WITHOUT_HISTORY } from '#test/support/shared-data.ts';
import { writeSmallRelease } from '#test/support/small-release.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const { sql } = await withDatabase({ after });
const store = new PostgresHistoryStore(sql);

async function put(history: History): Promise<void> {
  await store.replace(history, historyDigest(history));
}

/** All stored rows, table by table. */
async function rows(): Promise<Record<string, unknown[]>> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema and table_name like 'history\_%' and table_name <> 'history_release' order by 1`;
  assert.equal(tables.length, 13);
  const stored: Record<string, unknown[]> = {};
  for (const { name } of tables) stored[name] = [...(await sql`select * from ${sql(name)} t order by t`)];
  return stored;
}

test('before the first import there is no history', async () => {
  assert.equal(await store.load(), null);
  assert.equal(await store.digest(), null);
  assert.equal(await store.weekend('2018-azerbaijan'), null);
});

test('a stored history is read back in full and by weekend, and the release is described', async (t) => {
  const history = readF1dbRelease(writeSmallRelease(temporaryFolder(t)));
  await put(history);
  assert.deepEqual(await store.load(), history);
  assert.equal(await store.digest(), historyDigest(history));
  const { drivers, constructors } = history;
  for (const weekend of history.weekends) {
    assert.deepEqual(await store.weekend(weekend.eventId), { weekend, drivers, constructors });
  }
  assert.equal(await store.weekend('2018-azerbaijan'), null);
  const [release] = await sql`select first_season, last_season, races from history_release`;
  assert.deepEqual({ ...release }, { first_season: 2023, last_season: 2026, races: 2 });
});

test('any history is read back as it was stored', async () => {
  await fc.assert(
    fc.asyncProperty(histories(), async (history) => {
      await put(history);
      assert.deepEqual(await store.load(), history);
    }),
    { numRuns: 30 },
  );
});

test('a release is read back as it was parsed; storing it again leaves the same rows', async (t) => {
  const releases: [folder: string, eventId: string][] = [[writeSmallRelease(temporaryFolder(t)), '2023-miami']];
  if (WITHOUT_HISTORY === false) releases.push([F1DB, '2018-azerbaijan']);
  for (const [folder, event] of releases) {
    const history = readF1dbRelease(folder);
    await put(history);
    assert.deepEqual(await store.load(), history);
    assert.deepEqual(await store.weekend(event), {
      weekend: history.weekends.find(({ eventId }) => eventId === event),
      drivers: history.drivers,
      constructors: history.constructors,
    });
    const before = await rows();
    await put(history);
    assert.deepEqual(await rows(), before);
  }
});

test('a replacement that fails halfway leaves the old history', async (t) => {
  const history = readF1dbRelease(writeSmallRelease(temporaryFolder(t)));
  await put(history);
  const before = await rows();
  const [first, ...others] = history.weekends as [RaceWeekend, ...RaceWeekend[]];
  const stranger = { driverId: 'nobody', position: 3, points: 0 };
  const broken = { ...first, driverStandings: [...first.driverStandings, stranger] };
  await assert.rejects(put({ ...history, weekends: [broken, ...others] }), /foreign key/);
  assert.deepEqual(await rows(), before);
  assert.equal(await store.digest(), historyDigest(history));
});

test('a reader during replacements sees one history or the other; concurrent replacements do not mix', async (t) => {
  const one = readF1dbRelease(writeSmallRelease(temporaryFolder(t)));
  const other = {
    ...one,
    entries: one.entries.slice(1),
    weekends: one.weekends.map((weekend) => ({ ...weekend, round: weekend.round + 1, pitStops: [] })),
  };
  const isEither = (found: History | null): void => {
    assert.deepEqual(found, found?.entries.length === one.entries.length ? one : other);
  };
  await put(one);
  let writing = true;
  const writers = Promise.all([one, other, one, other].map((history) => Array(5).fill(history)).map(putAll));
  const ended = writers.finally(() => {
    writing = false;
  });
  let reads = 0;
  for (; writing; reads++) isEither(await store.load());
  await ended;
  assert.ok(reads > 5, String(reads));
  const last = await store.load();
  isEither(last);
  assert.equal(await store.digest(), historyDigest(last!));
});

async function putAll(histories: readonly History[]): Promise<void> {
  for (const history of histories) await put(history);
}

/** Histories with any number of rows in every list, and null wherever it is allowed. */
function histories(): fc.Arbitrary<History> {
  const whole = fc.nat(2_000_000_000);
  const orNull = fc.option(whole);
  const points = fc.integer({ min: 0, max: 1_000 }).map((quarters) => quarters / 4);
  // PostgreSQL cannot store NUL in text.
  const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((any) => !any.includes('\0'));
  const day = fc.date({ min: new Date('1950-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  const isoDay = day.map((date) => date.toISOString().slice(0, 10));
  const participant = {
    driverId: fc.constantFrom('ada', 'grace'),
    constructorId: fc.constantFrom('engine', 'loom'),
    number: text,
  };
  const classification: fc.Arbitrary<Classification> = fc.oneof(
    record({ kind: fc.constant('classified' as const), position: whole }),
    record({ kind: fc.constant('not_classified' as const), reason: fc.constantFrom('DNF', 'DSQ', 'EX') }),
  );
  const { driverId, constructorId } = participant;
  const list = <Row>(row: fc.Arbitrary<Row>) => fc.array(row, { maxLength: 3 });
  const result = record({
    ...participant,
    classification,
    laps: whole,
    timeMs: orNull,
    gapMs: orNull,
    gapLaps: orNull,
    reasonRetired: fc.option(text),
    points,
  });
  const qualifying = record({ ...participant, classification, q1Ms: orNull, q2Ms: orNull, q3Ms: orNull });
  const grid = record({ ...participant, position: orNull });
  const weekend = record({
    name: text,
    circuitId: fc.constant('difference'),
    layoutId: text,
    day: isoDay,
    startUtcMs: fc.option(day.map((date) => date.getTime())),
    laps: whole,
    scheduledLaps: orNull,
    hasSprint: fc.boolean(),
    practice: list(record({ ...participant, session: whole, timeMs: whole })),
    qualifying: list(qualifying),
    grid: list(grid),
    results: list(result),
    fastestLaps: list(record({ ...participant, rank: whole, lap: orNull, timeMs: orNull })),
    pitStops: list(record({ ...participant, stop: whole, lap: whole, timeMs: whole })),
    sprintQualifying: list(qualifying),
    sprintGrid: list(grid),
    sprintResults: list(result),
    driverStandings: list(record({ driverId, position: whole, points })),
    constructorStandings: list(record({ constructorId, engineManufacturerId: text, position: whole, points })),
  });
  const entry = record({
    season: whole,
    driverId,
    constructorId,
    rounds: list(whole),
    testDriver: fc.boolean(),
  });
  return record({
    entries: list(entry),
    weekends: fc.array(weekend, { minLength: 1, maxLength: 3 }),
    name: text,
    dateOfBirth: fc.option(isoDay),
  }).map(({ entries, weekends, name, dateOfBirth }) => ({
    circuits: new Map([['difference', { circuitId: 'difference', name, type: 'ROAD' as const }]]),
    drivers: new Map(
      ['ada', 'grace'].map((driverId) => [driverId, { driverId, name, tla: name, dateOfBirth }] as const),
    ),
    constructors: new Map(['engine', 'loom'].map((constructorId) => [constructorId, { constructorId, name }] as const)),
    entries,
    weekends: weekends.map((one, index) => ({ ...one, eventId: `e${index}`, season: 2010 + index, round: 1 })),
  }));
}

/** Objects as JSON.parse makes them: with a prototype. */
function record<Fields extends object>(fields: { readonly [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> }) {
  return fc.record<Fields>(fields, { noNullPrototype: true });
}
