// The fantasy routes with a history in the database. The test supplies the outcomes of live and recorded sessions.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { CarOutcome, SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { HISTORY_ATTRIBUTION } from '#engine/seasons/history/history.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import { reserveLiveMemory } from '#engine/timeline/live-memory.ts';
import { withApi } from '#test/support/api-harness.ts';
import { changeTable, writeSmallRelease } from '#test/support/small-release.ts';

/** The outcomes of recordings, set by the tests. */
const recorded = new Map<string, SessionOutcome | 'busy'>();
const api = await withApi(
  { after },
  { recordedOutcomes: { of: async (sessionId) => recorded.get(sessionId) ?? null } },
);
const [free, developer, custom] = [
  await api.client('free'),
  await api.client('developer'),
  await api.client('custom'),
] as const;
const history = new PostgresHistoryStore(api.sql);

const SCORES = '/v1/fantasy/races/2026-miami/scores';
const LIVE = '/v1/fantasy/session/2026-miami-race/scores';
const PIT_TIMES = '/v1/fantasy/session/2026-miami-race/pit-times';

function car(number: string, position: number, given: Partial<CarOutcome> = {}): CarOutcome {
  return {
    number,
    driver: `driver-${number}`,
    name: `Driver ${number}`,
    tla: `D${number}`,
    team: 'McLaren',
    constructorId: 'mclaren',
    position,
    gridPlace: position,
    lapsCompleted: 57,
    out: false,
    reachedQ3: false,
    ...given,
  };
}

function outcome(given: Partial<SessionOutcome> = {}): SessionOutcome {
  return {
    phase: 'finished',
    currentLap: 57,
    totalLaps: 57,
    cars: [car('4', 1, { gridPlace: 2 }), car('81', 2, { gridPlace: 1 })],
    fastestLap: '81',
    stops: [
      { number: '4', lap: 20, pitLaneMs: 23_000 },
      { number: '81', lap: 21, pitLaneMs: 22_500 },
    ],
    ...given,
  };
}

async function data(path: string) {
  const { status, body } = await developer.call('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

async function missing(path: string): Promise<string> {
  const { status, body } = await developer.call('GET', path);
  assert.deepEqual([status, body.code], [404, 'not_available'], path);
  return body.error;
}

/** Imports the small release after applying a change to it. */
async function importHistory(digest: string, change: (folder: string) => void = () => {}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  try {
    writeSmallRelease(folder);
    change(folder);
    await history.replace(readF1dbRelease(folder), digest);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('Free accounts get 403 on fantasy routes, even if the request is invalid as well', async () => {
  for (const path of [SCORES, `${SCORES}?session=nap`, `${SCORES}?session=race&session=sprint`, LIVE, PIT_TIMES]) {
    const { status, body } = await free.call('GET', path);
    assert.deepEqual([status, body.code], [403, 'insufficient_tier'], path);
    assert.equal((await api.call('GET', path)).status, 401, path);
  }
});

test('before any import or recording, scores and pit times are 404 and the error says what is missing', async () => {
  for (const path of [SCORES, `${SCORES}?session=race`, `${SCORES}?session=sprint`, PIT_TIMES]) {
    for (const client of [developer, custom]) {
      const { status, body } = await client.call('GET', path);
      assert.deepEqual([status, body.code], [404, 'not_available'], path);
      assert.match(body.error, /The race history does not have|its result has not reached this service/);
    }
  }
});

test('scores exist only for the race and the sprint', async () => {
  const { status, body } = await developer.call('GET', `${SCORES}?session=practice`);
  assert.deepEqual([status, body.code], [400, 'invalid_query']);
  assert.match(body.error, /session must be one of race, sprint/);
});

test('a session that is not live has an empty list of scores and a message', async () => {
  const { message, ...rest } = await data(LIVE);
  assert.deepEqual(rest, {
    sessionId: '2026-miami-race',
    live: false,
    provisional: false,
    currentLap: null,
    totalLaps: null,
    rules: 'legacy-1',
    estimate: true,
    scores: [],
  });
  assert.match(message, /not live/);
});

test('a recorded race is scored once it is over, using its grid unless its qualifying is recorded', async (t) => {
  t.after(() => recorded.clear());
  recorded.set('2026-miami-race', outcome({ phase: 'live' }));
  assert.match(await missing(SCORES), /The race history does not have 2026-miami\.$/);
  recorded.set('2026-miami-race', outcome());
  const byGrid = await data(SCORES);
  assert.deepEqual([byGrid.source, byGrid.attribution], ['recording', null]);
  assert.match(byGrid.message, /penalties.*starting grid/);
  assert.deepEqual(byGrid.scores[0], {
    driver: 'driver-4',
    tla: 'D4',
    team: 'McLaren',
    constructorId: 'mclaren',
    breakdown: {
      racePosPoints: 25,
      qualiPosPoints: 9,
      q3Bonus: 3,
      positionsGained: 1,
      positionsGainedPoints: 2,
      fastestLapPoints: 0,
      beatTeammateRace: 3,
      beatTeammateQuali: 0,
      dnfPenalty: 0,
      total: 42,
    },
  });
  recorded.set('2026-miami-qualifying', outcome({ cars: [car('4', 1, { reachedQ3: true }), car('81', 2)] }));
  const whole = await data(SCORES);
  assert.doesNotMatch(whole.message, /grid/);
  const [{ breakdown }] = whole.scores;
  assert.deepEqual([breakdown.qualiPosPoints, breakdown.q3Bonus, breakdown.beatTeammateQuali], [10, 3, 2]);
  assert.match((await data(LIVE)).message, /GET \/v1\/fantasy\/races\/2026-miami\/scores has its scores/);
  const times = await data(PIT_TIMES);
  assert.deepEqual([times.source, times.fastestStop.seconds, times.stops.length], ['historical', 22.5, 2]);
});

test('a recording that does not show who finished has no scores', async (t) => {
  t.after(() => recorded.clear());
  recorded.set('2026-miami-race', outcome({ cars: [car('4', 1, { lapsCompleted: null })] }));
  assert.match(await missing(SCORES), /The race history does not have 2026-miami\.$/);
});

test('while too many recordings are being read, requests get 503 with Retry-After', async (t) => {
  t.after(() => recorded.clear());
  recorded.set('2026-miami-race', 'busy');
  for (const path of [SCORES, PIT_TIMES, LIVE]) {
    const { status, body, headers } = await developer.call('GET', path);
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'unavailable', '5'], path);
  }
});

test('a live session has provisional scores and live pit times; points decided at the end are null until then', async (t) => {
  const sessionId = '2026-miami-race';
  t.after(() => api.app.liveOutcomes.forget(sessionId));
  api.app.liveOutcomes.set(sessionId, outcome({ phase: 'upcoming', currentLap: null }));
  const before = await data(LIVE);
  assert.deepEqual([before.live, before.scores, before.message], [false, [], 'This session has not started.']);
  assert.match(await missing(PIT_TIMES), /not started/);

  const cars = [car('4', 1), car('81', 2, { out: true })];
  api.app.liveOutcomes.set(sessionId, outcome({ phase: 'live', currentLap: 30, cars }));
  const live = await data(LIVE);
  assert.deepEqual([live.live, live.provisional, live.currentLap, live.totalLaps], [true, true, 30, 57]);
  assert.deepEqual(
    live.scores.map(({ breakdown }: { breakdown: object }) => Object.values(breakdown)),
    [
      [25, null, null, null, null, null, 3, null, 0, 28],
      [0, null, null, null, null, null, 0, null, -15, -15],
    ],
  );
  assert.equal((await data(PIT_TIMES)).source, 'live');
  assert.match(await missing(SCORES), /is live/);

  api.app.liveOutcomes.set(sessionId, outcome());
  const over = await data(LIVE);
  assert.deepEqual([over.live, over.provisional], [true, true]);
  assert.equal(over.scores[0].breakdown.positionsGainedPoints, 2);
  assert.match(over.message, /penalties/);

  api.app.liveOutcomes.forget(sessionId);
  assert.deepEqual([(await data(LIVE)).live, (await data(LIVE)).scores], [false, []]);
});

test('a live practice is reported as live but has no scores', async (t) => {
  const sessionId = '2026-miami-practice-1';
  t.after(() => api.app.liveOutcomes.forget(sessionId));
  api.app.liveOutcomes.set(sessionId, outcome({ phase: 'live', stops: [] }));
  const { live, provisional, scores, message } = await data(`/v1/fantasy/session/${sessionId}/scores`);
  assert.deepEqual([live, provisional, scores], [true, false, []]);
  assert.match(message, /Only races and sprints/);
  assert.deepEqual((await data(`/v1/fantasy/session/${sessionId}/pit-times`)).fastestStop, null);
});

test('a live session whose timing lacks the data for scores is reported as live until it is over', async () => {
  const sessionId = '2026-club-race';
  const memory = reserveLiveMemory({ sessionId, seriesId: 'karting' }, Date.now());
  await api.app.live.opened(memory, 'live');
  const { live, provisional, scores, message } = await data(`/v1/fantasy/session/${sessionId}/scores`);
  assert.deepEqual([live, provisional, scores], [true, false, []]);
  assert.match(message, /does not provide what scores need/);
  await missing(`/v1/fantasy/session/${sessionId}/pit-times`);
  api.app.live.moved(sessionId, 'finished');
  assert.equal((await data(`/v1/fantasy/session/${sessionId}/scores`)).live, false);
});

test('a session that has not started is not reported as live', async (t) => {
  const sessionId = '2026-miami-race';
  t.after(() => api.app.liveOutcomes.forget(sessionId));
  api.app.liveOutcomes.set(sessionId, outcome({ phase: 'upcoming', currentLap: null }));
  assert.doesNotMatch(await missing(SCORES), /is live/);
});

test('the history takes precedence over a recording, and a new release applies at once', async (t) => {
  t.after(() => recorded.clear());
  recorded.set('2023-miami-race', outcome());
  assert.equal((await data('/v1/fantasy/races/2023-miami/scores')).source, 'recording');
  await importHistory('first');
  const first = await data('/v1/fantasy/races/2023-miami/scores');
  assert.deepEqual([first.source, first.attribution, first.message], ['history', HISTORY_ATTRIBUTION, null]);
  assert.deepEqual(
    first.scores.map(({ driver }: { driver: string }) => driver),
    ['max-verstappen', 'lando-norris', 'sergio-perez'],
  );
  const times = await data('/v1/fantasy/session/2023-miami-race/pit-times');
  const team = { team: 'Red Bull Racing', constructorId: 'red-bull-racing' };
  const stop = { driver: 'sergio-perez', tla: 'PER', ...team, lap: 20, seconds: 22.345 };
  assert.equal(first.scores[0].constructorId, 'red-bull-racing');
  assert.deepEqual(
    [times.source, times.attribution, times.fastestStop, times.stops],
    ['historical', HISTORY_ATTRIBUTION, stop, [stop]],
  );

  await importHistory('second', (folder) => changeTable(folder, 'f1db-races-race-results.csv', '"DNF"', '"DSQ"'));
  const second = await data('/v1/fantasy/races/2023-miami/scores');
  assert.deepEqual(
    [first, second].map(({ scores }) => scores.at(-1).breakdown.dnfPenalty),
    [-15, -20],
  );
});

test('errors distinguish events that were not held, have no sprint, are unknown or are no race', async () => {
  await importHistory('third');
  assert.match(await missing(SCORES), /not been held/);
  assert.match(await missing('/v1/fantasy/races/2024-monaco/scores'), /history does not have 2024-monaco/);
  assert.match(await missing(`${SCORES}?session=sprint`), /not been held/);
  for (const raceId of ['miami', '2026-', '2026-Miami', '2026--miami', '..%2Fmiami', `2026-${'x'.repeat(99)}`]) {
    assert.match(await missing(`/v1/fantasy/races/${raceId}/scores`), /no such race/, raceId);
  }
  for (const sessionId of ['nothing', '2026-Miami-race', '..%2F2026-miami-race']) {
    await missing(`/v1/fantasy/session/${sessionId}/pit-times`);
    assert.equal((await data(`/v1/fantasy/session/${sessionId}/scores`)).live, false);
  }
});
