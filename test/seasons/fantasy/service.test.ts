// Fantasy scores through the API: golden and real sessions sent live, up to some lap and then to the end, to a service
// of their own. First without the history, so scores come from recordings, then with it.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import { HISTORY_ATTRIBUTION } from '#engine/seasons/history/history.ts';
import { archiveFolder } from '#test/intake/source/archive.ts';
import { QUALIFYING, RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { framesOf } from '#test/racing/real-sessions.ts';
import { type ContractAnswer, contractService } from '#test/support/contract-service.ts';
import { archiveLines } from '#test/support/golden-recordings.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { dataPath, F1DB, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { changeTable, writeSmallRelease } from '#test/support/small-release.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const MIAMI = '2025-miami-sprint';
const BAKU = '2018-azerbaijan-race';
const LATER = [
  'qualiPosPoints',
  'q3Bonus',
  'positionsGained',
  'positionsGainedPoints',
  'fastestLapPoints',
  'beatTeammateQuali',
] as const;

interface Score {
  readonly driver: string;
  readonly tla: string;
  readonly breakdown: Readonly<Record<string, number | null>>;
}

const service = await contractService({ after }, { SEASON: '2026', ADMIN_PORT: '0' });
const client = await service.client('developer');

/** A session as an operator's own source sends it. */
function sourceOf(
  sessionId: string,
  frames: readonly Frame[],
): {
  readonly source: OwnSource;
  atLap(lap: number): number;
  atStatus(status: string): number;
} {
  const startMs = frames[0]!.utcMs;
  const messages = frames.map(({ topic, utcMs, json }) => ({ topic, atMs: utcMs - startMs, data: JSON.parse(json) }));
  const at = (topic: string, field: string, value: unknown): number =>
    messages.find((message) => message.topic === topic && message.data[field] === value)!.atMs + 1;
  return {
    source: new OwnSource(service, sessionId, messages),
    atLap: (lap) => at('LapCount', 'CurrentLap', lap),
    atStatus: (status) => at('SessionStatus', 'Status', status),
  };
}

async function data(path: string): Promise<ContractAnswer['body']['data']> {
  const { status, body } = await client.call('GET', path);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  return body.data;
}

async function refused(path: string): Promise<string> {
  const { status, body } = await client.call('GET', path);
  assert.deepEqual([status, body.code], [404, 'not_available'], path);
  return body.error;
}

/** Waits, because the latest report of the live thread may be up to a second old. */
async function settled(path: string, done: (data: ContractAnswer['body']['data']) => boolean) {
  let found: ContractAnswer['body']['data'];
  await eventually(`${path} shows it`, async () => {
    found = await data(path);
    return done(found);
  });
  return found;
}

function assertSorted(scores: readonly Score[]): void {
  for (const [index, { breakdown }] of scores.entries()) {
    const before = scores[index - 1]?.breakdown.total ?? Number.POSITIVE_INFINITY;
    assert.ok(breakdown.total! <= before!, `the ${index + 1}th is not above the one before`);
    const { total, positionsGained, ...points } = breakdown;
    assert.equal(
      total,
      Object.values(points).reduce<number>((sum, value) => sum + (value ?? 0), 0),
    );
  }
}

test('before anything is known, every response says what is missing', async () => {
  assert.match(await refused('/fantasy/races/2025-miami/scores?session=sprint'), /The race history does not have/);
  assert.match(await refused(`/fantasy/session/${MIAMI}/pit-times`), /not recorded/);
  const live = await data(`/fantasy/session/${MIAMI}/scores`);
  assert.deepEqual([live.live, live.scores, live.message], [false, [], 'This session is not live.']);
});

test('a live race is scored lap by lap, and its stops are live until it is over', async () => {
  const LIVE = `/fantasy/session/${RACE.sessionId}/scores`;
  const STOPS = `/fantasy/session/${RACE.sessionId}/pit-times`;
  const FINAL = '/fantasy/races/2026-lakeland/scores';
  const { source, atLap, atStatus } = sourceOf(RACE.sessionId, RACE.frames);
  await source.upTo(60_000);
  const before = await settled(LIVE, ({ message }) => /not started/.test(message));
  assert.deepEqual([before.live, before.provisional, before.scores], [false, false, []]);

  await source.upTo(atLap(14));
  const live = await settled(LIVE, ({ currentLap }) => currentLap === 14);
  assert.deepEqual([live.live, live.provisional, live.totalLaps, live.message], [true, true, 18, null]);
  assert.equal(live.scores.length, 10);
  assertSorted(live.scores);
  for (const { breakdown } of live.scores) for (const member of LATER) assert.equal(breakdown[member], null);
  const out = live.scores.filter(({ breakdown }: Score) => breakdown.dnfPenalty === -15);
  assert.deepEqual(out.map(({ tla }: Score) => tla).sort(), ['BEZ', 'MAR']);
  const stops = await data(STOPS);
  assert.deepEqual([stops.source, stops.attribution], ['live', null]);
  assert.match(await refused(FINAL), /is live/);

  await source.upTo(atStatus('Finalised'));
  const over = await settled(LIVE, ({ scores }) => scores[0]?.breakdown.fastestLapPoints !== null);
  assert.deepEqual([over.live, over.provisional, over.currentLap], [true, true, 18]);
  assertSorted(over.scores);

  await source.upTo();
  await source.end();
  const ended = await settled(LIVE, (answer) => !answer.live);
  assert.deepEqual([ended.provisional, ended.scores], [false, []]);
  const final = await data(FINAL);
  assert.deepEqual([final.sessionType, final.source, final.attribution], ['grand_prix', 'recording', null]);
  assert.deepEqual(final.scores, over.scores);
  const historical = await data(STOPS);
  assert.equal(historical.source, 'historical');
  assert.deepEqual(historical.fastestStop, {
    driver: 'tunde-okelwa',
    tla: 'OKE',
    team: 'Borealis',
    constructorId: 'borealis',
    lap: 9,
    seconds: 14.7,
  });
  assert.equal(historical.stops.length, 12);
});

test('a live session that is neither race nor sprint is not scored', async () => {
  const { source, atStatus } = sourceOf(QUALIFYING.sessionId, QUALIFYING.frames);
  await source.upTo(atStatus('Started'));
  const live = await settled(`/fantasy/session/${QUALIFYING.sessionId}/scores`, (answer) => answer.live);
  assert.deepEqual([live.provisional, live.scores], [false, []]);
  assert.match(live.message, /^Only races and sprints are scored/);
  await source.end();
});

describe('fantasy of real sessions', { skip: WITHOUT_RECORDINGS }, () => {
  test('a live sprint is scored lap by lap, and its stops are live until it is over', async () => {
    const LIVE = `/fantasy/session/${MIAMI}/scores`;
    const STOPS = `/fantasy/session/${MIAMI}/pit-times`;
    const { source, atLap, atStatus } = sourceOf(MIAMI, framesOf(MIAMI));
    await source.upTo(60_000);
    const before = await settled(LIVE, ({ message }) => /not started/.test(message));
    assert.deepEqual([before.live, before.provisional, before.scores], [false, false, []]);

    await source.upTo(atLap(13));
    const live = await settled(LIVE, ({ currentLap }) => currentLap === 13);
    assert.deepEqual([live.live, live.provisional, live.totalLaps, live.message], [true, true, 18, null]);
    assert.equal(live.scores.length, 20);
    assertSorted(live.scores);
    for (const { breakdown } of live.scores) for (const member of LATER) assert.equal(breakdown[member], null);
    const [leader] = live.scores;
    assert.deepEqual(
      [leader.breakdown.racePosPoints, leader.breakdown.beatTeammateRace, leader.breakdown.total],
      [8, 3, 11],
    );
    const leclerc = live.scores.find(({ tla }: Score) => tla === 'LEC');
    assert.deepEqual([leclerc.breakdown.dnfPenalty, leclerc.breakdown.total], [-15, -15]);
    const stops = await data(STOPS);
    assert.deepEqual([stops.source, stops.attribution], ['live', null]);
    assert.ok(stops.stops.length >= 4 && stops.stops.length < 19, `${stops.stops.length} stops so far`);
    assert.match(await refused('/fantasy/races/2025-miami/scores?session=sprint'), /is live/);

    await source.upTo(atStatus('Finalised'));
    const over = await settled(LIVE, ({ scores }) => scores[0]?.breakdown.q3Bonus === 0);
    assert.deepEqual([over.live, over.provisional, over.currentLap], [true, true, 18]);
    assertSorted(over.scores);
    assert.match(over.message, /penalties/);

    await source.upTo();
    await source.end();
    const ended = await settled(LIVE, (answer) => !answer.live);
    assert.deepEqual([ended.provisional, ended.scores], [false, []]);
    assert.match(ended.message, /GET \/v1\/fantasy\/races\/2025-miami\/scores\?session=sprint/);
    const final = await data('/fantasy/races/2025-miami/scores?session=sprint');
    assert.deepEqual([final.sessionType, final.source, final.attribution], ['sprint', 'recording', null]);
    assert.deepEqual(final.scores, over.scores);
    const historical = await data(STOPS);
    assert.deepEqual([historical.source, historical.stops.length], ['historical', 19]);
    assert.deepEqual(historical.fastestStop, {
      driver: 'oscar-piastri',
      tla: 'PIA',
      team: 'McLaren',
      constructorId: 'mclaren',
      lap: 13,
      seconds: 22.211,
    });
    const seconds: number[] = historical.stops.map((stop: { seconds: number }) => stop.seconds);
    assert.deepEqual(
      seconds,
      seconds.toSorted((a, b) => a - b),
    );
    assert.match(await refused('/fantasy/races/2025-miami/scores'), /The race history does not have/);
  });

  test('a real live session that is neither race nor sprint is not scored', async () => {
    const sessionId = '2023-azerbaijan-qualifying';
    const { source, atStatus } = sourceOf(sessionId, framesOf(sessionId));
    await source.upTo(atStatus('Started'));
    const live = await settled(`/fantasy/session/${sessionId}/scores`, (answer) => answer.live);
    assert.deepEqual([live.provisional, live.scores], [false, []]);
    assert.match(live.message, /^Only races and sprints are scored/);
    await source.end();
    assert.match(await refused('/fantasy/races/2023-azerbaijan/scores'), /The race history does not have/);
  });

  test('a recorded race is scored from its recording until the history has its result', async () => {
    await service.admin(['import', 'recording', dataPath(`archive/${BAKU}`)]);
    const recorded = await data('/fantasy/races/2018-azerbaijan/scores');
    assert.deepEqual([recorded.source, recorded.rules, recorded.estimate], ['recording', 'legacy-1', true]);
    assert.match(recorded.message, /starting grid/);
    assertSorted(recorded.scores);

    await service.admin(['import', 'history', F1DB]);
    const official = await data('/fantasy/races/2018-azerbaijan/scores');
    assert.deepEqual([official.source, official.message, official.attribution], ['history', null, HISTORY_ATTRIBUTION]);
    assertSorted(official.scores);
    const names = (scores: readonly Score[]) => scores.map(({ driver }) => driver).sort();
    assert.deepEqual(names(official.scores), names(recorded.scores), 'drivers are called alike');
    const stops = await data(`/fantasy/session/${BAKU}/pit-times`);
    assert.deepEqual([stops.source, stops.attribution, stops.stops.length], ['historical', HISTORY_ATTRIBUTION, 35]);
    assert.equal((await data('/fantasy/races/2025-miami/scores?session=sprint')).source, 'history');
  });

  test('a session that was not held is reported as such', async () => {
    assert.match(
      await refused('/fantasy/races/2018-azerbaijan/scores?session=sprint'),
      /Azerbaijan Grand Prix of 2018 has no sprint/,
    );
    assert.match(await refused('/fantasy/races/2026-abu-dhabi/scores'), /not been held/);
    assert.match(await refused('/fantasy/session/2026-abu-dhabi-race/pit-times'), /not been held/);
    for (const raceId of [
      'azerbaijan',
      '18-baku',
      '2018-',
      '2018-Azerbaijan',
      '2018-azerbaijan-',
      `2018-${'a'.repeat(80)}`,
      '%00',
      '..%2Fx',
    ]) {
      assert.match(await refused(`/fantasy/races/${raceId}/scores`), /no such race/, raceId);
    }
  });
});

test('a recorded sprint is scored from its recording until the history has its result', async (t) => {
  const SCORES = '/fantasy/races/2026-lakeland/scores?session=sprint';
  await service.admin(['import', 'recording', archiveFolder(t, archiveLines(SPRINT))]);
  const recorded = await data(SCORES);
  assert.deepEqual([recorded.source, recorded.rules, recorded.estimate], ['recording', 'legacy-1', true]);
  assert.deepEqual(recorded.scores.length, 8);
  assertSorted(recorded.scores);

  // The release's Miami weekend, renamed to Lakeland and moved to 2026.
  const release = writeSmallRelease(temporaryFolder(t));
  changeTable(release, 'f1db-grands-prix.csv', 'Miami', 'Lakeland');
  changeTable(release, 'f1db-races.csv', '1153,2026', '1153,2027');
  changeTable(release, 'f1db-races.csv', '1083,2023', '1083,2026');
  await service.admin(['import', 'history', release]);
  const official = await data(SCORES);
  assert.deepEqual([official.source, official.attribution], ['history', HISTORY_ATTRIBUTION]);
  assert.deepEqual(
    official.scores.map(({ driver }: Score) => driver),
    ['sergio-perez'],
  );
});
