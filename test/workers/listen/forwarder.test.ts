// How updates are forwarded: in which order, how many at once, and when again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from '#api/client/verify.ts';
import { DEADLINE_MS, IN_FLIGHT_MAX, RETRIES_IN_FLIGHT_MAX, RETRYING_MAX } from '#engine/base/limits.ts';
import { TIMED_OUT } from '#engine/delivery/attempt-result.ts';
import { deliveryId, deliveryIdPrefix } from '#engine/delivery/sign/delivery-headers.ts';
import { REFUSED, scriptedForwarder, update } from './scripted-receiver.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Forwards updates one after the other, as far as the forwarder takes them. Returns how many it has taken. */
function forwardAll(
  forwarder: { forward: (one: ReturnType<typeof update>) => Promise<void> },
  count: number,
): () => number {
  let taken = 0;
  void (async () => {
    for (let sequence = 1; sequence <= count; sequence++) {
      await forwarder.forward(update(sequence));
      taken++;
    }
  })();
  return () => taken;
}

test('I4: the delays before attempts 1 to 4 are 0, 1, 5 and 30 s; then the update has failed', async () => {
  const { forwarder, time, requests, reports } = scriptedForwarder();
  await forwarder.forward(update(1));
  for (const delayMs of [1_000, 5_000, 30_000]) {
    requests.at(-1)!.answer(REFUSED);
    const count = requests.length;
    await time.pass(delayMs - 1);
    assert.equal(requests.length, count);
    await time.pass(1);
    assert.equal(requests.length, count + 1);
  }
  const settled = forwarder.settled();
  requests.at(-1)!.answer(500);
  await settled;
  assert.deepEqual(
    requests.map(({ attempt }) => attempt),
    [1, 2, 3, 4],
  );
  assert.deepEqual(
    reports.map(({ after }) => (after.kind === 'retry' ? after.delayMs : after.kind)),
    [1_000, 5_000, 30_000, 'failed'],
  );
  await time.pass(100_000);
  assert.equal(requests.length, 4);
});

test('an attempt without an answer ends at its deadline, and a late answer changes nothing', async () => {
  const { forwarder, time, requests, reports } = scriptedForwarder();
  await forwarder.forward(update(1));
  await time.pass(DEADLINE_MS - 1);
  assert.deepEqual([reports.length, requests[0]!.isAbandoned], [0, false]);
  await time.pass(1);
  assert.deepEqual([reports[0]!.result, requests[0]!.isAbandoned], [TIMED_OUT, true]);
});

test('I5: first attempts start in order, two at once at first, and more while answers are fast; retries hold back none', async () => {
  const { forwarder, time, requests } = scriptedForwarder();
  const taken = forwardAll(forwarder, 500);
  await turn();
  assert.deepEqual([taken(), requests.length], [2, 2]);
  requests[0]!.answer(503);
  await turn();
  assert.equal(taken(), 2, 'a receiver that asks for less gets one at a time');
  let answered = 1;
  let most = 0;
  while (taken() < 500 && answered < requests.length) {
    most = Math.max(most, requests.length - answered);
    await time.pass(1);
    requests[answered++]!.answer(200);
    await turn();
  }
  assert.equal(taken(), 500);
  assert.ok(most > 2 && most <= IN_FLIGHT_MAX, String(most));
  const first = requests.filter(({ attempt }) => attempt === 1).map(({ sequence }) => sequence);
  assert.deepEqual(
    first,
    Array.from({ length: 500 }, (_, index) => index + 1),
  );
  await time.pass(1_000);
  assert.deepEqual([requests.at(-1)!.sequence, requests.at(-1)!.attempt], [1, 2]);
});

test('I2: while too many updates wait for a retry, no more are taken; retries have so many slots', async () => {
  const { forwarder, time, requests } = scriptedForwarder();
  const taken = forwardAll(forwarder, RETRYING_MAX + 100);
  let answered = 0;
  while (answered < requests.length) {
    requests[answered++]!.answer(REFUSED);
    await turn();
  }
  assert.equal(taken(), RETRYING_MAX);
  assert.equal(requests.length, RETRYING_MAX);
  await time.pass(1_000);
  assert.equal(requests.length, RETRYING_MAX + RETRIES_IN_FLIGHT_MAX);
  requests.at(-1)!.answer(200);
  await turn();
  assert.equal(taken(), RETRYING_MAX + 1);
  const second = requests.slice(RETRYING_MAX).filter(({ attempt }) => attempt === 2);
  assert.equal(second.length, RETRIES_IN_FLIGHT_MAX + 1, 'the slot of a retry that has ended goes to the next');
});

test('after stop nothing starts: what waited is given up, what is under way ends', async () => {
  const { forwarder, time, requests, reports, givenUp } = scriptedForwarder();
  const taken = forwardAll(forwarder, 4);
  requests[0]!.answer(REFUSED);
  await turn();
  assert.deepEqual(
    requests.map(({ sequence }) => sequence),
    [1, 2, 3],
  );
  forwarder.stop();
  await turn();
  assert.equal(taken(), 4);
  assert.deepEqual(givenUp, [1, 4]);
  let isSettled = false;
  void forwarder.settled().then(() => {
    isSettled = true;
  });
  requests[1]!.answer(204);
  await turn();
  assert.equal(isSettled, false);
  requests[2]!.answer(REFUSED);
  await turn();
  assert.equal(isSettled, true);
  assert.deepEqual(
    reports.slice(1).map(({ after }) => after.kind),
    ['delivered', 'unfinished'],
  );
  await time.pass(100_000);
  assert.equal(requests.length, 3);
});

test('deliveries are signed, and have mode, run and attempt as real ones; attempts share their id', async () => {
  const run = { runId: 'run_01k2', speed: 2.5 };
  const replayed = scriptedForwarder(run);
  await replayed.forwarder.forward(update(7));
  replayed.requests[0]!.answer(REFUSED);
  await replayed.time.pass(1_000);
  const [first, second] = replayed.requests;
  const body = Buffer.from(update(7).body);
  const toleranceS = Number.MAX_SAFE_INTEGER;
  for (const [index, { headers }] of [first!, second!].entries()) {
    const { attempt, mode, runId } = verify(headers, body, replayed.secret, { toleranceS });
    assert.deepEqual([attempt, mode, runId], [index + 1, 'replay', 'run_01k2']);
    assert.equal(headers['X-Service-Replay-Session'], 'demo-race');
    assert.equal(
      headers['webhook-timestamp'],
      String(Math.floor((replayed.time.wallMs() - 1_000 * (1 - index)) / 1_000)),
    );
    assert.equal(headers['X-Service-Replay-Speed'], '2.5');
  }
  assert.equal(first!.headers['webhook-id'], second!.headers['webhook-id']);

  const live = scriptedForwarder(null);
  await live.forwarder.forward(update(7));
  const { headers } = live.requests[0]!;
  assert.equal(verify(headers, body, live.secret, { toleranceS }).mode, 'live');
  assert.equal(headers['X-Service-Replay-Run-Id'], undefined);
  const expected = deliveryId(deliveryIdPrefix('live', 'demo-race', 'http://localhost:3000/hook'), 7);
  assert.equal(headers['webhook-id'], expected, 'live, another process gives the update the same id');
});
