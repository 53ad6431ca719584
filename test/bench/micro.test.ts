import assert from 'node:assert/strict';
import { test } from 'node:test';
import { help, misallocates, run, smoke } from '#bench/micro/micro.ts';
import type { Operation } from '#bench/micro/operation.ts';
import { SUBJECT_NAMES } from '#bench/micro/subjects.ts';
import { timed } from '#bench/micro/tinybench-timing.ts';
import { resultErrors } from '#bench/suite/result-check.ts';

test('the micro bench runs every subject with correct results, and operations allocate what they promise', async () => {
  const lines: string[] = [];
  const result = await run(smoke, (line) => lines.push(line));
  assert.deepEqual(result.faults, { wrong: 0, misallocated: 0 }, lines.join('\n'));
  assert.deepEqual(resultErrors(result), []);
  assert.equal(result.parameters.subjects, SUBJECT_NAMES.join(' '));
  const medians = new Map(result.measurements.map(({ name, samples }) => [name, samples]));
  for (const [name, samples] of medians) {
    assert.equal(samples.length, 1, name);
    assert.ok(
      samples.every((value) => Number.isFinite(value) && value >= 0),
      name,
    );
    if (name.endsWith(': time')) assert.ok(samples[0]! > 0, name);
  }
  assert.deepEqual(medians.get('an object of one field: allocated'), [32]);
  for (const what of ['no filter', 'one driver', 'a team down to some place', 'two race event types']) {
    assert.ok(medians.get(`match, ${what}: allocated`)![0]! < 0.5, what);
  }
  assert.ok(medians.get('a delivery, without network and database: allocated')![0]! > 100);
});

test('laps with wrong results and operations that allocate more or less than they promise are counted', async () => {
  const faulty: Operation = { name: 'faulty', times: 1, answer: 1, lap: () => 2 };
  assert.ok((await timed(faulty, 1)).wrong > 5);
  const late: Operation = { ...faulty, lap: async () => 2 };
  assert.ok((await timed(late, 1)).wrong > 5);
  assert.equal((await timed({ ...faulty, answer: 2 }, 1)).wrong, 0);
  const counted = { what: 'bytes', name: 'counted', outside: 0, wrong: 0 } as const;
  assert.ok(misallocates({ ...counted, onHeap: 16, promised: 0 }));
  assert.ok(misallocates({ ...counted, onHeap: 0, promised: 32 }));
  assert.ok(!misallocates({ ...counted, onHeap: 16, promised: null }));
  assert.ok(!misallocates({ ...counted, onHeap: 0.1, promised: 0 }));
});

test('the micro bench measures the requested subjects and the floor, and rejects unknown ones by name', async () => {
  for (const name of SUBJECT_NAMES) assert.ok(help.includes(name), name);
  const { parameters } = await run(['mailbox', ...smoke], () => {});
  assert.equal(parameters.subjects, 'floor mailbox');
  await assert.rejects(
    run(['mailboxes'], () => {}),
    /NAME: there is no subject "mailboxes"; there are floor, /,
  );
  await assert.rejects(
    run(['--rounds', '0'], () => {}),
    /--rounds: "0"/,
  );
});
