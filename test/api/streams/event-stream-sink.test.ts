// How a stream of server-sent events ends for a client that has not read what was sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventChannel } from '#api/http/event-channel.ts';
import { EventStreamSink } from '#api/streams/event-stream-sink.ts';
import { SSE_REVOKED_UNREAD_MS } from '#engine/base/limits.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

function stage() {
  const time = new SimulatedTime();
  const did: string[] = [];
  let takes = false;
  const channel: EventChannel = {
    write: (bytes) => {
      const [code] = /"code":"\w+"/.exec(Buffer.from(bytes).toString()) ?? [];
      if (code !== undefined) did.push(code);
      return takes;
    },
    onDrain: () => {},
    onClose: () => {},
    end: () => did.push('end'),
    close: () => did.push('close'),
  };
  const sink = new EventStreamSink(channel, time);
  const take = (): void => {
    takes = true;
  };
  const read = (): void => {
    take();
    sink.drained();
  };
  return { time, did, sink, take, read };
}

const TOLD = '"code":"unauthorized"';

test('SM2: a stream whose token was revoked is cut within a second if its client reads nothing', async () => {
  assert.ok(SSE_REVOKED_UNREAD_MS < 1_000);
  for (const takesEnd of [false, true]) {
    const { time, did, sink, take } = stage();
    sink.ping();
    // The system may have room for an end behind what it had none for.
    if (takesEnd) take();
    sink.end('unauthorized');
    assert.deepEqual(did, [TOLD]);
    await time.pass(SSE_REVOKED_UNREAD_MS);
    assert.deepEqual(did, [TOLD, 'close']);
  }
});

test('one that reads in time gets its end, and one that reads all along at once', async () => {
  const late = stage();
  late.sink.end('unauthorized');
  late.read();
  const prompt = stage();
  prompt.read();
  prompt.sink.end('unauthorized');
  for (const { time, did } of [late, prompt]) {
    await time.pass(SSE_REVOKED_UNREAD_MS);
    assert.deepEqual(did, [TOLD, 'end']);
  }
});

test('one that leaves meanwhile is not cut', async () => {
  const { time, did, sink } = stage();
  sink.end('unauthorized');
  sink.left();
  await time.pass(SSE_REVOKED_UNREAD_MS);
  assert.deepEqual(did, [TOLD]);
});

test('a stream that ends for another reason waits for its client as long as the HTTP library does', async () => {
  const { time, did, sink } = stage();
  sink.end('stopping');
  await time.pass(SSE_REVOKED_UNREAD_MS);
  assert.deepEqual(did, ['"code":"stopping"', 'end']);
});
