import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrivedBetween } from '#bench/load/lag.ts';
import { slopeOf } from '#bench/load/slope.ts';
import { run, smoke } from '#bench/load/soak.ts';

test('I1, I6, I10: in the soak bench every endpoint gets every update once, correctly signed and recorded', async () => {
  const { measurements, faults, plots, parameters } = await run(smoke, () => {});
  assert.deepEqual(faults, { lost: 0, doubled: 0, wronglySigned: 0, unexpected: 0, unrecorded: 0 });
  assert.deepEqual(parameters, { seconds: 1, rate: 200, endpoints: 10, shards: 1 });
  const [lag] = measurements;
  assert.equal(lag!.name, 'p99 lag, by minute');
  assert.ok(lag!.samples.length === 1 && Number.isFinite(lag!.samples[0]));
  const curves = plots.find(({ title }) => title === 'Lag')!.series;
  for (const { name, x, y } of curves) assert.ok(x.length === 1 && y.every((value) => value !== null), name);
});

test('the soak bench rejects invalid values with the name of the option', async () => {
  for (const option of ['--minutes', '--seconds', '--rate', '--endpoints', '--shards']) {
    await assert.rejects(
      run([option, '1.5'], () => {}),
      new RegExp(`^Error: ${option}`),
    );
  }
  await assert.rejects(
    run(['--rate', '5', '--endpoints', '10'], () => {}),
    /^Error: --rate/,
  );
});

test('the CPU of a delivery is that of what arrived meanwhile, not of what was due', () => {
  const lag = { dueMs: Float64Array.of(0, 1_000, 2_000, 3_000), lagMs: Float64Array.of(5, 10, 2_000, 500) };
  assert.equal(arrivedBetween(lag, 1_000, 3_000), 1);
  assert.equal(arrivedBetween(lag, 0, 5_000), 4);
});

/** Autocorrelated values, like a process's memory. The same seed gives the same values. */
function autocorrelated(count: number, seed: number): number[] {
  let state = seed;
  let value = 0;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    value = 0.8 * value + state / 2_147_483_647 - 0.5;
    return value;
  });
}

test('a slope is detected in autocorrelated values, and rarely if there is none', () => {
  const x = Array.from({ length: 600 }, (_, index) => index);
  let falseAlarms = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const noise = autocorrelated(x.length, seed * 7_919);
    const flat = slopeOf(x, noise);
    if (Math.abs(flat.slope) > flat.uncertainty) falseAlarms++;
    const rising = slopeOf(
      x,
      noise.map((value, index) => value + index / 100),
    );
    assert.ok(rising.slope - rising.uncertainty > 0 && Math.abs(rising.slope - 0.01) < 0.003);
  }
  assert.ok(falseAlarms <= 20, `${falseAlarms} of 200; about 10 are expected`);
});
