import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyDigests } from '#workers/demo/body-digests.ts';
import { FollowedStream, type StreamedUpdate, streamProblems } from '#workers/demo/followed-stream.ts';

const UPDATES: readonly StreamedUpdate[] = [1, 2, 3].map((sequence) => ({
  sequence,
  body: Buffer.from(`{"a":${sequence}}`),
}));

function digests(...updates: readonly StreamedUpdate[]): BodyDigests {
  const bodies = new BodyDigests();
  for (const { sequence, body } of updates) bodies.add(sequence, body);
  return bodies;
}

/** The problems of a stream with these updates, beside a receiver that got everything and one that got the second update. */
async function problems(
  updates: readonly StreamedUpdate[],
  { expected = 3, error = null }: { readonly expected?: number | null; readonly error?: Error | null } = {},
): Promise<readonly string[]> {
  async function* streamed(): AsyncGenerator<StreamedUpdate, void, undefined> {
    yield* updates;
    if (error !== null) throw error;
  }
  const stream = new FollowedStream('gRPC', streamed());
  await stream.ended;
  return streamProblems([stream.figures([digests(...UPDATES), digests(UPDATES[1]!)])], expected);
}

test('a stream passes that has every update once, in order and with the bytes of the webhooks', async () => {
  assert.deepEqual(await problems(UPDATES), []);
  assert.deepEqual(await problems(UPDATES.slice(0, 2), { expected: null }), [], 'of a replay that was stopped');
});

test('a byte that differs, an update too few, twice or too early, and an end that is none are problems', async () => {
  const [first, second, third] = UPDATES as [StreamedUpdate, StreamedUpdate, StreamedUpdate];
  const otherwise = { sequence: 2, body: Buffer.from('{"a":9}') };
  assert.deepEqual(await problems([first, otherwise, third]), [
    'stream over gRPC: 2 bodies were not those of the webhooks',
  ]);
  assert.deepEqual(await problems([first, second]), ['stream over gRPC: ended with update 2']);
  assert.deepEqual(await problems([first, third]), [
    'stream over gRPC: 1 updates were out of order, lost or came twice',
    'stream over gRPC: 2 bodies were not those of the webhooks',
  ]);
  assert.deepEqual(await problems([first, second, second, third]), [
    'stream over gRPC: 1 updates were out of order, lost or came twice',
  ]);
  assert.deepEqual(await problems([], { expected: null }), ['stream over gRPC: ended with update 0']);
  assert.deepEqual(await problems(UPDATES, { error: new Error('14 UNAVAILABLE') }), [
    'stream over gRPC: did not end as it should: 14 UNAVAILABLE',
  ]);
});

test('a stream that does not end is a problem', () => {
  async function* never(): AsyncGenerator<StreamedUpdate, void, undefined> {
    yield UPDATES[0]!;
    await new Promise(() => {});
  }
  assert.match(streamProblems([new FollowedStream('gRPC', never()).figures([])], 3).join('\n'), /it is still open/);
});
