import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDemoOptions } from '#workers/demo/demo-options.ts';
import { makeParticipants } from '#workers/demo/participant.ts';

const CERTIFICATE = { key: '', cert: '' };

function schemes(...args: string[]): string[] {
  return makeParticipants(readDemoOptions(args)!, CERTIFICATE, () => {}).map(({ receiver }) => receiver.scheme);
}

test('one receiver speaks https, the others http; with --https all of them speak https', () => {
  assert.deepEqual(schemes(), ['https', 'http', 'http', 'http', 'http']);
  assert.deepEqual(schemes('--endpoints', '2'), ['https', 'http']);
  assert.deepEqual(schemes('--endpoints', '1'), ['https']);
  assert.deepEqual(schemes('--https'), ['https', 'https', 'https', 'https', 'https']);
});

test('with two receivers or more the last one goes down', () => {
  for (const [endpoints, down] of [
    [1, []],
    [2, [2]],
    [5, [5]],
  ] as const) {
    const participants = makeParticipants({ endpoints, https: false }, CERTIFICATE, () => {});
    assert.deepEqual(
      participants.filter(({ goesDown }) => goesDown).map(({ number }) => number),
      down,
    );
  }
});
