import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Pursuit, passChances } from '#engine/racing/analytics/pass-chance.ts';

const STEADY: Pursuit = {
  gapsSeconds: [1, 1, 1],
  latestLapGainSeconds: 0,
  tireAgeDifferenceLaps: 0,
  compoundAhead: 'MEDIUM',
  compoundBehind: 'MEDIUM',
  lap: 20,
  totalLaps: 57,
};

const withinThree = (changes: Partial<Pursuit>, event: string | null = null) =>
  passChances({ ...STEADY, ...changes }, event, 0.3, [3])[0]!;

test('a smaller gap, a gap that closes, and fresher tires raise the chance of a pass', () => {
  const { probability } = withinThree({});
  for (const better of [
    { gapsSeconds: [0.6, 0.6, 0.6] },
    { gapsSeconds: [2, 1.5, 1] },
    { tireAgeDifferenceLaps: -15 },
    { gapsSeconds: [0.9], latestLapGainSeconds: 2.5 },
  ]) {
    assert.ok(withinThree(better).probability > probability, JSON.stringify(better));
  }
});

test('circuits differ, and one that is not known has the widest interval', () => {
  const monaco = withinThree({}, 'Monaco Grand Prix');
  const bahrain = withinThree({}, 'Bahrain Grand Prix');
  const unknown = withinThree({}, 'Lakeland Grand Prix');
  assert.ok(monaco.probability < unknown.probability && unknown.probability < bahrain.probability);
  assert.ok(unknown.upper / unknown.lower > bahrain.upper / bahrain.lower);
});

test('chances rise with the number of laps, evenly between the fitted ones', () => {
  const chances = passChances(STEADY, null, 0.3, [0, 1, 2, 3, 4, 5]);
  assert.equal(chances[0]!.probability, 0);
  for (let index = 1; index < chances.length; index++) {
    assert.ok(chances[index]!.probability >= chances[index - 1]!.probability);
  }
});
