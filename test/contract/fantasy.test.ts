// "Fantasy" and "Fantasy score entry" of the interface, one test per rule: from a history of three weekends, and from the brief
// race as a live session.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { contractService } from '#test/support/contract-service.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { writeSmallRelease } from '#test/support/small-release.ts';
import { IN_SEASON } from './short-session.ts';

const RACE = '/fantasy/races/2023-miami/scores';
const LIVE_SESSION = '2026-brief-race';
const LIVE = `/fantasy/session/${LIVE_SESSION}/scores`;
const STOPS = `/fantasy/session/${LIVE_SESSION}/pit-times`;
const AT_THE_END = [
  'qualiPosPoints',
  'q3Bonus',
  'positionsGained',
  'positionsGainedPoints',
  'fastestLapPoints',
  'beatTeammateQuali',
] as const;
const BREAKDOWN = [
  'racePosPoints',
  ...AT_THE_END.slice(0, 5),
  'beatTeammateRace',
  'beatTeammateQuali',
  'dnfPenalty',
  'total',
];

interface Score {
  readonly driver: string;
  readonly tla: string;
  readonly team: string;
  readonly breakdown: Readonly<Record<string, number | null>>;
}

const service = await contractService({ after }, { ...IN_SEASON, ADMIN_PORT: '0' });
const [free, developer, custom] = [
  await service.client('free'),
  await service.client('developer'),
  await service.client('custom'),
] as const;
const source = new OwnSource(service, LIVE_SESSION);

before(async () => {
  const folder = join(service.dataDir, 'release');
  mkdirSync(folder);
  await service.admin(['import', 'history', writeSmallRelease(folder)]);
});

async function data(path: string, client = developer) {
  const { status, body } = await client.call('GET', path);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  return body.data;
}

async function refused(path: string, status: number, code: string): Promise<string> {
  const answer = await developer.call('GET', path);
  assert.deepEqual([answer.status, answer.body.code], [status, code], path);
  return answer.body.error;
}

/** Waits until the response passes `done`: the last report of the live thread may be a second old. */
function settled(path: string, done: (answer: Awaited<ReturnType<typeof data>>) => boolean) {
  return eventually(`${path} shows it`, async () => {
    const answer = await data(path);
    return done(answer) ? answer : null;
  });
}

function assertScores(scores: readonly Score[]): void {
  let above = Number.POSITIVE_INFINITY;
  for (const { driver, breakdown } of scores) {
    assert.match(driver, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.deepEqual(Object.keys(breakdown).toSorted(), BREAKDOWN.toSorted());
    const { total, positionsGained, ...points } = breakdown;
    const sum = Object.values(points).reduce<number>((sum, value) => sum + (value ?? 0), 0);
    assert.equal(total, sum, driver);
    assert.ok(total <= above, `${driver} is in order`);
    above = total;
  }
}

test('Fantasy is for Developer or higher: Free gets 403 before any other check, and a caller without a token gets 401', async () => {
  for (const path of [RACE, LIVE, STOPS, '/fantasy/races/nothing/scores?session=nap', '/fantasy/session/x/pit-times']) {
    const { status, body } = await free.call('GET', path);
    assert.deepEqual([status, body.code], [403, 'insufficient_tier'], path);
    assert.match(body.error, /Developer or Custom/);
    assert.equal((await service.call('GET', path)).status, 401, path);
  }
  assert.deepEqual(await data(RACE, custom), await data(RACE));
});

test('GET /fantasy/races/:raceId/scores: returns the Grand Prix by default, highest total first, each entry in full', async () => {
  const race = await data(RACE);
  assert.deepEqual(race, await data(`${RACE}?session=race`));
  assert.deepEqual([race.raceId, race.sessionType, race.estimate], ['2023-miami', 'grand_prix', true]);
  assertScores(race.scores);
  // Calculated by hand: P1 without a grid place, fastest lap, team mate retired; P2 from the last grid place; pole, but retired.
  assert.deepEqual(
    race.scores.map(({ driver, tla, team, breakdown }: Score) => [driver, tla, team, breakdown.total]),
    [
      ['max-verstappen', 'VER', 'Red Bull Racing', 25 + 5 + 3],
      ['lando-norris', 'NOR', 'McLaren', 18],
      ['sergio-perez', 'PER', 'Red Bull Racing', 10 + 3 + 2 - 15],
    ],
  );
  for (const { breakdown } of race.scores) for (const value of Object.values(breakdown)) assert.notEqual(value, null);
});

test('GET /fantasy/races/:raceId/scores?session=sprint: uses the compressed points table', async () => {
  const sprint = await data(`${RACE}?session=sprint`);
  assert.equal(sprint.sessionType, 'sprint');
  assertScores(sprint.scores);
  assert.deepEqual(
    sprint.scores.map(({ driver, breakdown }: Score) => [driver, breakdown.racePosPoints, breakdown.q3Bonus]),
    [['sergio-perez', 8, 0]],
  );
});

test('GET /fantasy/races/:raceId/scores: an unknown or uncompleted race gives 404, another session type gives 400', async () => {
  assert.match(
    await refused('/fantasy/races/2026-miami/scores', 404, 'not_available'),
    /not been held, or its result has not reached this service\.$/,
  );
  assert.match(
    await refused('/fantasy/races/2023-monaco/scores', 404, 'not_available'),
    /history does not have 2023-monaco/,
  );
  assert.match(await refused('/fantasy/races/%2e%2e%2fsecret/scores', 404, 'not_available'), /ids are year and place/);
  assert.match(await refused(`${RACE}?session=qualifying`, 400, 'invalid_query'), /race, sprint/);
});

test('GET /fantasy/session/:sessionId/scores: when none is live, live is false, with an empty list and a message', async () => {
  for (const sessionId of [
    LIVE_SESSION,
    '2023-miami-race',
    '2023-miami-practice-1',
    'demo-race',
    '%00',
    'x'.repeat(3_000),
  ]) {
    const { live, provisional, scores, message } = await data(`/fantasy/session/${sessionId}/scores`);
    assert.deepEqual([live, provisional, scores], [false, false, []], sessionId);
    assert.match(message, /not live/);
  }
  const { message } = await data('/fantasy/session/2023-miami-race/scores');
  const [, path] = /GET \/v1(\S+) has its scores/.exec(message)!;
  assert.equal((await data(path!)).raceId, '2023-miami');
});

test('GET /fantasy/session/:sessionId/scores: scores are provisional while it is live, and fields that the end decides are null until then', async () => {
  await source.upTo(900);
  const before = await settled(LIVE, ({ message }) => /not started/.test(message));
  assert.deepEqual([before.live, before.scores], [false, []]);

  await source.upTo(9_500);
  const live = await settled(LIVE, ({ currentLap }) => currentLap > 40);
  assert.deepEqual([live.live, live.provisional, live.totalLaps], [true, true, 200]);
  assert.equal(live.scores.length, 6);
  assertScores(live.scores);
  for (const { breakdown } of live.scores) for (const member of AT_THE_END) assert.equal(breakdown[member], null);
  assert.deepEqual(
    live.scores
      .slice(0, 2)
      .map(({ tla, breakdown }: Score) => [tla, breakdown.racePosPoints, breakdown.beatTeammateRace]),
    [
      ['KIT', 25, 3],
      ['KAT', 18, 0],
    ],
  );

  await source.upTo(15_000);
  const moved = await settled(LIVE, ({ scores }) => scores[1]?.tla !== 'KAT');
  assert.equal(moved.scores[1].tla, 'FAX', 'scores follow the current order');
  assert.match(
    await refused(`/fantasy/races/2026-brief/scores`, 404, 'not_available'),
    /is live: GET \/v1\/fantasy\/session/,
  );
});

test('GET /fantasy/session/:sessionId/pit-times: lists stops from fastest to slowest, with source live during the session and historical afterwards', async () => {
  // A stop is reported ten seconds after the car has left the pits.
  await source.upTo(19_850);
  const live = await settled(STOPS, ({ stops }) => stops.length === 2);
  assert.deepEqual(
    live.stops.map(({ tla, seconds, lap }: Record<string, unknown>) => [tla, seconds, lap]),
    [
      ['KIT', 3, 0],
      ['HAN', 3, 0],
    ],
  );
  assert.deepEqual([live.sessionId, live.source, live.fastestStop], [LIVE_SESSION, 'live', live.stops[0]]);
  await source.upTo();
  const ended = await settled(
    LIVE,
    ({ scores }) => scores[0].breakdown.total !== null && scores[0].breakdown.q3Bonus !== null,
  );
  assert.deepEqual([ended.live, ended.provisional], [true, true]);
  assertScores(ended.scores);
  await source.end();
  await settled(LIVE, (answer) => !answer.live);
  const afterwards = await data(STOPS);
  assert.deepEqual([afterwards.source, afterwards.stops], ['historical', live.stops]);
  const final = await data('/fantasy/races/2026-brief/scores');
  assert.deepEqual([final.source, final.scores], ['recording', ended.scores]);

  const known = await data('/fantasy/session/2023-miami-race/pit-times');
  assert.deepEqual([known.source, known.fastestStop.seconds, known.stops.length], ['historical', 22.345, 1]);
  const error = await refused(`/fantasy/session/${'x'.repeat(3_000)}/pit-times`, 404, 'not_available');
  assert.ok(error.length < 300);
});
