// A team has the name of live timing everywhere, so previews and scores can be joined with feeds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { teamName } from '#engine/seasons/history/team-name.ts';

const CONSTRUCTORS = new Map(
  Object.entries({
    'red-bull': 'Red Bull',
    haas: 'Haas',
    'alfa-romeo': 'Alfa Romeo',
    mclaren: 'McLaren',
    rb: 'RB',
  }).map(([constructorId, name]) => [constructorId, { constructorId, name }]),
);

test('a team of the race history gets the name of live timing, and the id that feeds have', () => {
  const named = (constructorId: string, season: number) =>
    Object.values(teamName(CONSTRUCTORS, constructorId, season)).join(': ');
  assert.equal(named('red-bull', 2018), 'Red Bull Racing: red-bull-racing');
  assert.equal(named('haas', 2026), 'Haas F1 Team: haas-f1-team');
  assert.equal(named('mclaren', 2025), 'McLaren: mclaren');
  assert.equal(named('rb', 2024), 'RB: rb');
  const alfa = [2018, 2019, 2021, 2022].map((season) => named('alfa-romeo', season));
  assert.deepEqual(alfa, [
    'Alfa Romeo: alfa-romeo',
    'Alfa Romeo Racing: alfa-romeo-racing',
    'Alfa Romeo Racing: alfa-romeo-racing',
    'Alfa Romeo: alfa-romeo',
  ]);
});

test('a team that the race history does not have keeps its id as a name, and has no id', () => {
  assert.deepEqual(teamName(CONSTRUCTORS, 'unknown', 2026), { team: 'unknown', constructorId: null });
  assert.deepEqual(teamName(CONSTRUCTORS, 'constructor', 2026), { team: 'constructor', constructorId: null });
});
