import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#engine/base/random.ts';
import { type Season, simulateSeasons } from '#engine/seasons/forecast/championship.ts';

const TWO = [
  { driverId: 'one', constructorId: 'red' },
  { driverId: 'two', constructorId: 'blue' },
];

function season(races: number, changes: Partial<Season> = {}): Season {
  const model = {
    utilities: new Float64Array(2),
    hazards: new Float64Array(2),
    neutralisations: [1],
    neutralisationNoise: 0,
  };
  return {
    entrants: TWO,
    driverUncertainties: [0, 0],
    constructorUncertainties: new Map(),
    races: Array.from({ length: races }, () => ({ model, entrants: [0, 1], kind: 'grand_prix', points: [25, 18] })),
    driverPoints: new Map(),
    driverWins: new Map(),
    constructorPoints: new Map(),
    constructorWins: new Map(),
    ...changes,
  };
}

function title(of: Season, driverId = 'one'): number {
  const { drivers, constructors } = simulateSeasons(of, 4_000, seededRandom(5));
  for (const chances of [drivers, constructors]) {
    assert.ok(Math.abs([...chances.values()].reduce((sum, chance) => sum + chance, 0) - 1) < 1e-9);
  }
  return drivers.get(driverId)!;
}

test('a lead that cannot be made up wins the title for certain, a smaller one does not', () => {
  assert.equal(title(season(2, { driverPoints: new Map([['one', 15]]) })), 1);
  const open = title(season(2, { driverPoints: new Map([['one', 13]]) }));
  assert.ok(Math.abs(open - 0.75) < 0.04, `${open}`);
});

test('wins decide between equal points, and drivers level in both share the title', () => {
  const level = new Map([
    ['one', 10],
    ['two', 10],
  ]);
  assert.equal(title(season(0, { driverPoints: level, driverWins: new Map([['one', 1]]) })), 1);
  assert.equal(title(season(0, { driverPoints: level })), 0.5);
});

test('sprint wins do not decide between equal points', () => {
  const { races } = season(1);
  const sprint = races.map((race) => ({ ...race, kind: 'sprint' as const, points: [1] }));
  // The driver who is behind wins the sprint, which makes both level.
  const level = title(season(0, { races: sprint, driverPoints: new Map([['one', 1]]) }));
  assert.ok(Math.abs(level - 0.75) < 0.04, `${level}`);
});

test('a driver with points who no longer races can still be champion', () => {
  assert.equal(title(season(1, { driverPoints: new Map([['gone', 100]]) }), 'gone'), 1);
});

test('uncertain strength lasts for the season, which makes an upset more likely', () => {
  const points = { driverPoints: new Map([['one', 30]]) };
  const certain = title(season(12, points), 'two');
  const uncertain = title(season(12, { ...points, driverUncertainties: [1, 1] }), 'two');
  assert.ok(uncertain > certain + 0.1, `${uncertain} and ${certain}`);
  const constructorUncertainties = new Map([
    ['red', 1],
    ['blue', 1],
  ]);
  const uncertainTeams = title(season(12, { ...points, constructorUncertainties }), 'two');
  assert.ok(uncertainTeams > certain + 0.1, `${uncertainTeams} and ${certain}`);
});
