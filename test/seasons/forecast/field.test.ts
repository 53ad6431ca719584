import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldOf } from '#engine/seasons/forecast/field.ts';
import type { History, RaceWeekend } from '#engine/seasons/history/history.ts';
import { inventedHistory } from '#test/support/invented-history.ts';

const invented = inventedHistory();
const FIRST_PLANNED = invented.weekends.findIndex(({ season }) => season === 2021);
const LAST_HELD = FIRST_PLANNED - 1;

function withWeekend(index: number, changes: Partial<RaceWeekend>): History {
  const weekends = invented.weekends.map((weekend, place) => (place === index ? { ...weekend, ...changes } : weekend));
  return { ...invented, weekends };
}

test('before a season the entry list without test drivers is expected', () => {
  const newcomer = { season: 2021, driverId: 'newcomer', constructorId: 'team-0', rounds: [], testDriver: false };
  const tester = { ...newcomer, driverId: 'tester', testDriver: true };
  const history = { ...invented, entries: [...invented.entries, newcomer, tester] };
  const ids = fieldOf(history, FIRST_PLANNED, 'grand_prix', null).entrants.map(({ driverId }) => driverId);
  assert.equal(ids.length, 11);
  assert.ok(ids.includes('newcomer') && !ids.includes('tester'));
});

test('a sprint has its own grid, and drivers starting from the pit lane come last', () => {
  const [first, second, third] = invented.weekends[LAST_HELD]!.grid;
  const sprintGrid = [
    { ...first!, position: null },
    { ...second!, position: 2 },
    { ...third!, position: 1 },
  ];
  const history = withWeekend(LAST_HELD, { sprintGrid });
  const { entrants, slots } = fieldOf(history, LAST_HELD, 'sprint', null);
  const placed = new Map(entrants.map(({ driverId }, index) => [driverId, slots![index]]));
  assert.deepEqual(
    sprintGrid.map(({ driverId }) => placed.get(driverId)),
    [3, 2, 1],
  );
  assert.equal(fieldOf(history, LAST_HELD, 'grand_prix', null).entrants.length, 10);
  assert.equal(fieldOf(invented, LAST_HELD, 'sprint', null).slots, null);
});

test('an unexpected driver gets the team he is entered for, otherwise the free seat', () => {
  const { round } = invented.weekends[LAST_HELD]!;
  const entry = { season: 2020, driverId: 'guest', constructorId: 'team-4', testDriver: false };
  const grid = ['guest', ...invented.weekends[LAST_HELD]!.grid.slice(1).map(({ driverId }) => driverId)];
  const constructorOf = (rounds: readonly number[]): string | undefined => {
    const history = { ...withWeekend(LAST_HELD, { grid: [] }), entries: [{ ...entry, rounds }] };
    const { entrants } = fieldOf(history, LAST_HELD, 'grand_prix', grid);
    return entrants.find(({ driverId }) => driverId === 'guest')?.constructorId;
  };
  assert.equal(constructorOf([round]), 'team-4');
  const vacant = invented.weekends[LAST_HELD]!.grid[0]!.constructorId;
  assert.equal(constructorOf([round - 1]), vacant);
});
