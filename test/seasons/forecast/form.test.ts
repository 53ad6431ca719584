import assert from 'node:assert/strict';
import { test } from 'node:test';
import { driverForms, standingsBefore } from '#engine/seasons/forecast/form.ts';
import { inventedHistory } from '#test/support/invented-history.ts';

const held = inventedHistory().weekends.filter(({ season }) => season === 2020);

test('a constructor listed twice gets the points of both entries and the better position', () => {
  const team = { constructorId: 'team-0', engineManufacturerId: 'engine' };
  const constructorStandings = [
    { ...team, position: 2, points: 50 },
    { ...team, engineManufacturerId: 'other', position: 5, points: 8 },
  ];
  const standings = standingsBefore([{ ...held[0]!, constructorStandings }], 2020);
  assert.deepEqual([...standings.constructorPoints], [['team-0', 58]]);
  assert.deepEqual([...standings.constructorPositions], [['team-0', 2]]);
});

test('wins are counted over the season, and points are those after its latest race', () => {
  const { driverWins, driverPoints } = standingsBefore(inventedHistory().weekends, 2020);
  const winners = held.map(({ results }) => results[0]!.driverId);
  for (const [driverId, wins] of driverWins) assert.equal(wins, winners.filter((winner) => winner === driverId).length);
  for (const { driverId, points } of held.at(-1)!.driverStandings) assert.equal(driverPoints.get(driverId), points);
  assert.equal(standingsBefore(held, 2021).driverPoints.size, 0);
});

test('the latest five races of a driver are listed, newest first', () => {
  const titles = new Map([['driver-0', 1]]);
  const [form] = driverForms(held, standingsBefore(held, 2020), [], titles);
  assert.deepEqual(
    form!.latest.map(({ eventId }) => eventId),
    held
      .slice(-5)
      .toReversed()
      .map(({ eventId }) => eventId),
  );
  assert.equal(form!.constructorId, 'team-0');
});
