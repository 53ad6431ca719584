// analytics.championship: the points a race may bring, with and without championship standings before it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PointsGained } from '#engine/racing/analytics/points-gained.ts';
import type { ChampionshipDriver, ChampionshipTeam } from '#schemas/webhook/analytics-championship.ts';
import { at, lines, raceUnderWay, updatesFrom } from '#test/racing/scripted-session.ts';

const RACE = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1];

interface Emitted {
  readonly drivers: readonly ChampionshipDriver[];
  readonly teams: readonly ChampionshipTeam[];
}

test('the points of two drivers add up, and so does their distribution', () => {
  const coin = PointsGained.of(2, () => 0.5, RACE);
  const both = coin.plus(coin);
  assert.equal(coin.mean, 21.5);
  assert.equal(both.mean, 43);
  assert.deepEqual(
    [0.1, 0.5, 0.9].map((chance) => both.quantile(chance)),
    [36, 43, 50],
  );
  assert.equal(PointsGained.nothing().mean, 0);
});

test('with points before the race, totals and positions after it include drivers who do not race', () => {
  const before = (points: number, position: number) => ({ CurrentPoints: points, CurrentPosition: position });
  const [emitted] = updatesFrom(
    [
      ...raceUnderWay().slice(0, 5),
      at(0, 'ChampionshipPrediction', {
        Drivers: { 1: before(100, 3), 4: before(140, 1), 99: before(130, 2) },
        Teams: { 'McLaren Mercedes': { TeamName: 'McLaren', ...before(200, 1) } },
      }),
      ...raceUnderWay().slice(5),
      at(1, 'LapCount', { CurrentLap: 11 }),
      ...Array.from({ length: 12 }, (_, index) => lines(2 + index, { 1: { Sectors: { 0: { Value: `${index}` } } } })),
    ],
    'analytics.championship',
  ) as unknown as readonly Emitted[];
  const named = (tla: string) => emitted!.drivers.find((driver) => driver.tla === tla)!;
  assert.equal(named('NOR').championshipPositionExpected, 1);
  const { pointsAfterExpected, pointsGainedExpected } = named('VER');
  assert.ok(Math.abs(pointsAfterExpected! - 100 - pointsGainedExpected) < 1e-9);
  assert.equal(named('VER').championshipPositionExpected, 3);
  assert.equal(named('LEC').pointsBefore, null);
  const mclaren = emitted!.teams.find(({ constructorId }) => constructorId === 'mclaren')!;
  assert.equal(mclaren.pointsBefore, 200);
  assert.ok(
    Math.abs(mclaren.pointsGainedExpected - named('NOR').pointsGainedExpected - named('PIA').pointsGainedExpected) <
      0.01,
  );
});
