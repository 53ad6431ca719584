import assert from 'node:assert/strict';
import { test } from 'node:test';
import stops from '#engine/racing/analytics/coefficients/stops.json' with { type: 'json' };
import { laterFeatures, StopHazard, type StopLap, stopOdds } from '#engine/racing/analytics/stop-hazard.ts';
import { StopProspecting } from '#engine/racing/analytics/stop-prospects.ts';
import { TIRE_KINDS, tireNames } from '#engine/racing/analytics/tire-kinds.ts';

const LAPS = 50;
const CALM = { otherTires: 0, stopping: 0, safetyCar: false, virtualSafetyCar: false };
const MEDIUM = TIRE_KINDS.indexOf('MEDIUM');
const HARD = TIRE_KINDS.indexOf('HARD');
const hazard = new StopHazard(stops.values.later, 0.2, LAPS, LAPS);

test('the tables of a race give the odds of the formula', () => {
  for (const [kind, ageLaps, lapsLeft, owesCompound, stopsDone, otherTires] of [
    ['MEDIUM', 12, 30, true, 0, 0],
    ['SOFT', 20, 11, false, 2, 0.1],
    ['HARD', 0, 45, false, 5, 0],
    ['INTERMEDIATE', 7, 25, false, 1, 0.6],
  ] as const) {
    const lap: StopLap = {
      kind,
      ageLaps,
      lapsLeft,
      fullLaps: LAPS,
      owesCompound,
      stopsDone,
      moment: { ...CALM, otherTires },
    };
    const logit = laterFeatures(lap).reduce((sum, value, index) => sum + value * stops.values.later[index]!, 0.2);
    const index = TIRE_KINDS.indexOf(kind);
    const odds =
      hazard.stintOdds(index, ageLaps + lapsLeft, owesCompound, stopsDone, otherTires) *
      hazard.lapOdds(index, ageLaps, lapsLeft, owesCompound);
    assert.ok(Math.abs(Math.log(odds) - logit) < 1e-9, `${kind}: ${Math.log(odds)} ${logit}`);
  }
});

test('chances of stops are those of all ways in which the rest of the race may go', () => {
  const lapsLeft = 4;
  const prospecting = new StopProspecting(hazard, LAPS);
  const nextKinds = () => TIRE_KINDS.map((_, kind) => (kind === MEDIUM ? 0.3 : kind === HARD ? 0.7 : 0));
  const stint = { kind: MEDIUM, ageLaps: 30, owes: true, stopsDone: 1, nowOdds: 0.5, otherTires: 0, nextKinds };
  const { none, one, more, next } = prospecting.prospects(stint, new Float64Array(lapsLeft));
  const chance = (odds: number) => odds / (1 + odds);
  const stays = (kind: number, left: number, owes: boolean): number => {
    let alive = 1;
    for (let age = 0; age < left; age++)
      alive *= 1 - chance(hazard.stintOdds(kind, left, owes, 2, 0) * hazard.lapOdds(kind, age, left - age, owes));
    return alive;
  };
  let alive = 1;
  let only = 0;
  for (let lap = 0; lap < lapsLeft; lap++) {
    const odds =
      lap === 0 ? 0.5 : hazard.stintOdds(MEDIUM, 34, true, 1, 0) * hazard.lapOdds(MEDIUM, 30 + lap, 4 - lap, true);
    const stop = alive * chance(odds);
    const left = lapsLeft - lap - 1;
    only += stop * (0.3 * stays(MEDIUM, left, true) + 0.7 * stays(HARD, left, false));
    assert.ok(Math.abs(next[lap]! - stop) < 1e-12);
    alive -= stop;
  }
  assert.ok(Math.abs(none - alive) < 1e-12 && Math.abs(one - only) < 1e-12);
  assert.ok(Math.abs(none + one + more - 1) < 1e-12 && more > 0);
});

test('behind a safety car a stop is likelier than under green, and on old tires than on new ones', () => {
  const odds = (ageLaps: number, safetyCar: boolean) =>
    stopOdds(stops.values.now, 0, {
      kind: 'MEDIUM',
      ageLaps,
      lapsLeft: 30,
      fullLaps: LAPS,
      owesCompound: true,
      stopsDone: 0,
      moment: { ...CALM, safetyCar },
    });
  assert.ok(odds(15, true) > 2 * odds(15, false));
  assert.ok(odds(20, false) > 2 * odds(8, false));
});

test('the names of 2018 are told apart by how soft they are in the race', () => {
  const now = tireNames(new Set(['SOFT', 'HARD']));
  assert.deepEqual(['SOFT', 'HARD', 'WET', null].map(now.kindOf), ['SOFT', 'HARD', 'WET', null]);
  const then = tireNames(new Set(['SOFT', 'ULTRASOFT', 'INTERMEDIATE', null]));
  assert.deepEqual(['ULTRASOFT', 'SOFT', 'INTERMEDIATE', null, 'HARD'].map(then.kindOf), [
    'SOFT',
    'MEDIUM',
    'INTERMEDIATE',
    null,
    null,
  ]);
  assert.deepEqual(TIRE_KINDS.map(then.nameOf), ['ULTRASOFT', 'SOFT', null, 'INTERMEDIATE', 'WET']);
});
