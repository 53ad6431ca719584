import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/derive.ts';
import { resultErrors } from '#bench/suite/result-check.ts';

test('I7: the derive bench gets the same bytes in every round', async () => {
  const lines: string[] = [];
  const result = await run(smoke, (line) => lines.push(line));
  assert.equal(lines.length, 3, 'the first round is a warm-up');
  assert.deepEqual(resultErrors(result), []);
  assert.deepEqual(result.faults, { differing: 0 });
  assert.deepEqual(
    result.measurements.map(({ name }) => name),
    [
      'demo-race',
      'demo-race, without the models',
      'demo-race, with to without',
      'demo-race, models of one frame, p50',
      'demo-race, models of one frame, p99',
      'demo-race, models of one frame, longest',
      'demo-race, fixed work after each, p50',
      'demo-race, fixed work after each, p99',
      'demo-race, fixed work after each, longest',
      'demo-race, models of one frame, p99 of medians over the rounds',
    ],
  );
  for (const { samples } of result.measurements) assert.ok(samples.length > 0 && samples.every((value) => value > 0));
  assert.match(result.notes[0]!, /^demo-race: \d{4,} frames, \d{4,} updates, [1-9]/);
});

test('a folder without recordings is rejected with advice', async () => {
  for (const folder of ['/nowhere', import.meta.dirname]) {
    await assert.rejects(
      run(['--recordings', folder], () => {}),
      /^Error: --recordings: .*"demo" is built in$/,
    );
  }
});
