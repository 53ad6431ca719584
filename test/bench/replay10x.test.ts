import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busiestSlice, deriveRace } from '#bench/load/race-slice.ts';
import { run, smoke } from '#bench/load/replay10x.ts';

test('I1, I5, I10: every delivery of the stretch arrives once, in order, signed and recorded', async () => {
  const rounds: string[] = [];
  const { measurements, plots, faults, parameters } = await run(smoke, (line) => rounds.push(line));
  assert.equal(rounds.length, 2, 'one line for the slice, one for its play');
  assert.deepEqual(
    Object.entries(faults).filter(([, count]) => count !== 0),
    [],
  );
  assert.equal(parameters.recording, 'demo-race');
  for (const { name, samples } of measurements) {
    assert.equal(samples.length, 1, name);
    assert.ok(samples.every(Number.isFinite), `${name}: ${samples}`);
  }
  const sampleOf = (name: string): number => measurements.find((one) => one.name === name)!.samples[0]!;
  assert.ok(sampleOf('lag p50, 3 endpoints') > 0, 'nothing arrives before it is due (I4)');
  assert.ok(sampleOf('lag max, 3 endpoints') >= sampleOf('lag p99, 3 endpoints'));
  assert.ok(sampleOf('RSS at most, 3 endpoints') > 10);
  assert.deepEqual(
    plots.map(({ series }) => series.every(({ x, y }) => x.length === y.length && x.length > 1)),
    plots.map(() => true),
  );
});

test('no other stretch of that length has more updates than the busiest one, and the timeline ends with it', () => {
  const race = deriveRace('demo');
  const { dueMs } = race.columns;
  const { timeline, from, updates } = busiestSlice(race, 60_000);
  assert.equal(timeline.length, from + updates);
  assert.ok(dueMs[from + updates - 1]! - dueMs[from]! < 60_000);
  for (let begin = 0; begin < race.length; begin += 97) {
    const end = race.duePosition(dueMs[begin]! + 59_999);
    assert.ok(end - begin <= updates, `from ${begin} there are ${end - begin}`);
  }
  assert.deepEqual(timeline.body(from), race.body(from));
});

test('an invalid option is rejected by name', async () => {
  const silent = (): void => {};
  await assert.rejects(run(['--endpoints', '25,none'], silent), /--endpoints: "none"/);
  await assert.rejects(run(['--endpoints', '25,25'], silent), /--endpoints/);
  await assert.rejects(run(['--recording', '/nowhere'], silent), /--recording/);
  await assert.rejects(run(['--endpoints', '1000000', '--recording', 'demo'], silent), /--endpoints: at most/);
  await assert.rejects(run(['--speed', '9'], silent), /--speed/);
});
