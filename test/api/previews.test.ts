// Previews over HTTP, computed on the service's forecasting thread from a history of two race weekends.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { postgresCalendarStore } from '#api/calendar/postgres-calendar-store.ts';
import { FittedForecasts } from '#api/previews/fitted-forecasts.ts';
import type { PreviewQuestion } from '#api/previews/forecasts.ts';
import { readImportedHistory } from '#api/previews/imported-history.ts';
import { systemClock } from '#engine/base/clock.ts';
import { CALENDAR_CACHE_MS, PREVIEWS_UPCOMING_MAX } from '#engine/base/limits.ts';
import { SERIES_ID, sessionIdOf } from '#engine/racing/session-slug.ts';
import type { CalendarEvent } from '#engine/seasons/calendar/season-calendar.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { HISTORY_ATTRIBUTION, type History } from '#engine/seasons/history/history.ts';
import { historyDigest } from '#engine/seasons/history/history-digest.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import { SEASON, withApi } from '#test/support/api-harness.ts';
import { withDatabase } from '#test/support/database.ts';
import { writeSmallRelease } from '#test/support/small-release.ts';
import { PiscinaForecasts } from '#workers/tasks/piscina-forecasts.ts';

const HOUR_MS = 3_600_000;
const PARTS = [
  'winProbability',
  'qualifyingProbability',
  'expectedStrategy',
  'circuitIntelligence',
  'championshipForm',
] as const;

const { sql, database } = await withDatabase({ after });
const forecasts = new PiscinaForecasts(database.connection);
after(() => forecasts.close());
const asked: PreviewQuestion[] = [];
const counted = {
  of(question: PreviewQuestion) {
    asked.push(question);
    return forecasts.of(question);
  },
};
let skippedMs = 0;
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + skippedMs };
const api = await withApi({ after }, { sql, clock, forecasts: counted });
const [free, developer, custom] = [
  await api.client('free'),
  await api.client('developer'),
  await api.client('custom'),
] as const;
const store = new PostgresHistoryStore(sql);

function smallHistory(): History {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-release-'));
  try {
    return readF1dbRelease(writeSmallRelease(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function importHistory(history: History): Promise<string> {
  const digest = historyDigest(history);
  await store.replace(history, digest);
  return digest;
}

type Plan = readonly (readonly [type: 'Race' | 'Sprint' | 'Qualifying', startsInHours: number])[];

function event(place: string, round: number, plan: Plan): CalendarEvent {
  const eventId = `${SEASON}-${place}`;
  return {
    ...{
      eventId,
      seriesId: SERIES_ID,
      season: SEASON,
      round,
      name: `${place} Grand Prix`,
      circuitName: place,
      vague: [],
    },
    sessions: plan.map(([type, startsInHours]) => {
      const startUtcMs = Math.round(Date.now() / 1_000) * 1_000 + startsInHours * HOUR_MS;
      return { sessionId: sessionIdOf(eventId, type, type), type, startUtcMs, endUtcMs: startUtcMs + HOUR_MS };
    }),
  };
}

/** Replaces the calendar and expires the cached one. */
async function importCalendar(...events: readonly CalendarEvent[]): Promise<void> {
  await sql`truncate calendar_event cascade`;
  skippedMs += CALENDAR_CACHE_MS;
  await postgresCalendarStore(sql).revise({ events, leftOut: [], complete: true }, Date.now());
}

test('previews need a bearer token', async () => {
  for (const path of ['/v1/preview/upcoming', '/v1/preview/2026-miami-race']) {
    assert.equal((await api.call('GET', path)).status, 401, path);
  }
});

test('without a history the list is empty and a single preview is 404, and both messages say what the service does not have', async () => {
  for (const client of [free, developer, custom]) {
    const { status, body } = await client.call('GET', '/v1/preview/upcoming');
    assert.deepEqual([status, body.data.previews], [200, []]);
    assert.match(body.data.message, /need the race history, which this service does not have yet/);
    const one = await client.call('GET', '/v1/preview/2026-miami-race');
    assert.deepEqual([one.status, one.body.code], [404, 'not_available']);
    assert.match(one.body.error, /race history, which this service.*GET \/v1\/preview\/upcoming/);
  }
  assert.deepEqual(asked, []);
});

test('without a calendar the list names the import command, and sessions in the history still have previews', async () => {
  await importHistory(smallHistory());
  const { body } = await free.call('GET', '/v1/preview/upcoming');
  assert.deepEqual(body.data.previews, []);
  assert.match(body.data.message, /does not have the calendar of 2026 yet/);
  const race = (await free.call('GET', '/v1/preview/2026-miami-race')).body.data;
  assert.deepEqual([race.startDate, race.status, race.message], ['2026-05-03T17:00:00.000Z', null, null]);
  const sprint = (await free.call('GET', '/v1/preview/2026-miami-sprint')).body.data;
  assert.deepEqual([sprint.startDate, sprint.status, sprint.type], [null, null, 'Sprint']);
});

test('upcoming: lists races and sprints that have not started, soonest first, and names those the history lacks', async () => {
  await importCalendar(
    // Its race was postponed.
    event('spain', 6, [
      ['Qualifying', -100],
      ['Race', 200],
    ]),
    event('canada', 7, [['Race', 100]]),
    event('miami', 5, [
      ['Sprint', 20],
      ['Qualifying', 24],
      ['Race', 48],
    ]),
    event('monaco', 4, [['Race', -0.5]]),
  );
  const { data } = (await custom.call('GET', '/v1/preview/upcoming')).body;
  const reported = data.previews.map((preview: Record<string, string>) => [
    preview.sessionId,
    preview.type,
    preview.status,
  ]);
  assert.deepEqual(reported, [
    ['2026-miami-sprint', 'Sprint', 'upcoming'],
    ['2026-miami-race', 'Race', 'upcoming'],
  ]);
  const { events } = (await custom.call('GET', '/v1/events')).body.data;
  const planned = events.flatMap(({ sessions }: { sessions: object[] }) => sessions);
  for (const { sessionId, startDate, status, type } of data.previews) {
    assert.ok(
      planned.some((session: object) => isDeepStrictEqual(session, { sessionId, type, startDate, status })),
      sessionId,
    );
  }
  assert.match(data.message, /lacks 2026-canada-race, 2026-spain-race yet/);
});

test(`upcoming: considers at most ${PREVIEWS_UPCOMING_MAX} sessions, and says when all have started`, async () => {
  const many = Array.from({ length: PREVIEWS_UPCOMING_MAX + 4 }, (_, place) =>
    event(`place-${String.fromCharCode(97 + place)}`, place + 10, [['Race', 300 + place]]),
  );
  await importCalendar(...many);
  const { message } = (await free.call('GET', '/v1/preview/upcoming')).body.data;
  assert.equal(message.match(/2026-place-[a-z]-race/g).length, PREVIEWS_UPCOMING_MAX);
  await importCalendar(event('monaco', 4, [['Race', -48]]));
  const { body } = await free.call('GET', '/v1/preview/upcoming');
  assert.deepEqual(body.data, { previews: [], message: 'All races of 2026 have started.' });
});

test('the Free plan gets the headline; paid plans get the headline and all parts', async () => {
  const path = '/v1/preview/2023-miami-race';
  const headline = (await free.call('GET', path)).body.data;
  const full = (await developer.call('GET', path)).body.data;
  assert.deepEqual((await custom.call('GET', path)).body.data, full);
  for (const part of PARTS) {
    assert.ok(full[part] !== undefined, part);
    assert.equal(headline[part], undefined, part);
  }
  const rest = Object.fromEntries(Object.entries(full).filter(([key]) => !(PARTS as readonly string[]).includes(key)));
  assert.deepEqual({ ...rest, view: 'headline' }, headline);
  assert.equal(full.view, 'full');
  assert.equal(full.attribution, HISTORY_ATTRIBUTION);
  assert.deepEqual(Object.keys(headline.headline.winners[0]), [
    'driver',
    'tla',
    'name',
    'team',
    'constructorId',
    'win',
  ]);
  assert.deepEqual(Object.keys(headline.headline.poleFavourite), [
    'driver',
    'tla',
    'name',
    'team',
    'constructorId',
    'pole',
  ]);
  const teams = (entries: readonly Record<string, unknown>[]) =>
    entries.map(({ team, constructorId }) => `${team}: ${constructorId}`);
  for (const entries of [full.winProbability, full.championshipForm.drivers, full.championshipForm.constructors]) {
    assert.ok(teams(entries).includes('Red Bull Racing: red-bull-racing'), teams(entries).join());
  }
});

test('the preview of a finished session dates from before it, and says so', async () => {
  const race = (await custom.call('GET', '/v1/preview/2023-miami-race')).body.data;
  assert.deepEqual([race.status, race.generatedFrom.gridKnown, race.generatedFrom.learntTo], ['finished', true, null]);
  assert.match(race.message, /dates from before it/);
  assert.equal(race.circuitIntelligence.poleToWin.races, 0);
  // Pérez starts first, and the history knows nothing else about either driver.
  assert.deepEqual(
    race.winProbability.map(({ driver, gridPosition }: Record<string, unknown>) => [driver, gridPosition]).toSorted(),
    [
      ['lando-norris', 2],
      ['sergio-perez', 1],
    ],
  );
  const qualifying = (await custom.call('GET', '/v1/preview/2023-miami-qualifying')).body.data;
  assert.deepEqual([qualifying.status, qualifying.generatedFrom.gridKnown], ['finished', false]);
  for (const { gridPosition } of qualifying.winProbability) assert.equal(gridPosition, null);
  const sprint = (await custom.call('GET', '/v1/preview/2023-miami-sprint-qualifying')).body.data;
  assert.deepEqual([sprint.type, sprint.status], ['Sprint Qualifying', 'finished']);
});

test('a session without a preview is 404, and the error says why', async () => {
  for (const [sessionId, why] of [
    ['2026-miami-practice-1', /Only races, sprints and their qualifying sessions/],
    ['upcoming-race', /Only races, sprints/],
    ['%00', /Only races, sprints/],
    ['99999999999-miami-race', /Only races, sprints/],
    ['2026-nowhere-race', /history does not have this session/],
    ['9999-miami-race', /history does not have this session/],
    ['2023-%E2%82%AC-race', /history does not have this session/],
  ] as const) {
    const { status, body } = await custom.call('GET', `/v1/preview/${sessionId}`);
    assert.deepEqual([status, body.code], [404, 'not_available'], sessionId);
    assert.match(body.error, why);
    assert.match(body.error, /GET \/v1\/preview\/upcoming/);
  }
});

test('repeated requests get the same preview from the cache, and a new history changes the next response', async () => {
  const path = '/v1/preview/2026-miami-race';
  const first = (await custom.call('GET', path)).body;
  const before = asked.length;
  assert.deepEqual((await custom.call('GET', path)).body, first);
  assert.equal(asked.length, before);
  const history = smallHistory();
  const renamed = {
    ...history,
    weekends: history.weekends.map((weekend) => ({ ...weekend, name: 'Another Grand Prix' })),
  };
  const release = await importHistory(renamed);
  const { data } = (await custom.call('GET', path)).body;
  assert.deepEqual([data.name, data.generatedFrom.release], ['Another Grand Prix', release]);
  assert.equal(asked.length, before + 1);
  await importHistory(history);
  assert.deepEqual((await custom.call('GET', path)).body, first);
});

test('the same question gives the same forecast on every thread', async () => {
  const here = new FittedForecasts(() => readImportedHistory(store));
  const release = (await store.digest())!;
  for (const grid of [null, [], ['sergio-perez', 'lando-norris']]) {
    const question = { release, eventId: '2026-miami', race: 'grand_prix' as const, grid };
    assert.deepEqual(await here.of(question), await forecasts.of(question));
  }
});

test('a preview says when the history lacks earlier rounds of the season', async () => {
  const history = smallHistory();
  const race = history.weekends.find(({ eventId }) => eventId === '2026-miami')!;
  const later = {
    ...race,
    eventId: '2026-austria',
    name: 'Austrian Grand Prix',
    round: 5,
    day: '2026-05-24',
    startUtcMs: null,
  };
  await importHistory({ ...history, weekends: [...history.weekends, later] });
  const { message, championshipForm } = (await custom.call('GET', '/v1/preview/2026-austria-race')).body.data;
  assert.match(message, /lacks the results of one round before this one; they are simulated like future races\.$/);
  assert.equal(championshipForm.racesLeft, 2);
  const before = (await custom.call('GET', '/v1/preview/2026-miami-race')).body.data;
  assert.equal(before.message, null);
});
