// Accounts of very different size on one shard: turns and slots are shared by account, not by endpoint.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHARD_IN_FLIGHT_MAX, TURN_SLICE_MS } from '#engine/base/limits.ts';
import { IN_FLIGHT_START } from '#engine/delivery/endpoint/in-flight-cap.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { BAD, endpoint, GOOD } from '#test/support/shard-endpoints.ts';
import { answers, type Behaviour } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

const SMALL = 'acc_small';
const LARGE = 'acc_large';

/** Endpoints of an account, each with a receiver of its own. */
function endpointsOf(
  shard: SimulatedShard,
  accountId: string,
  count: number,
  behaviour: Behaviour,
): readonly EndpointSettings[] {
  return Array.from({ length: count }, (_, index) => {
    const origin = `http://${accountId}-${index}.example`.replace('_', '-');
    shard.network.receiver(origin, behaviour);
    return endpoint(`${accountId}-${index}`, origin, { accountId });
  });
}

const order = (accountId: string, runNo: number) => ({ accountId, runNo, runId: `run_${runNo}` });

/** How late each update started at this origin, of a timeline with one every `everyMs`. */
function lags(shard: SimulatedShard, origin: string, everyMs: number): number[] {
  return shard.network.at(origin).map(({ sequence, atMs }) => atMs - (sequence - 1) * everyMs);
}

/** Starts twenty updates of a small account at this time, one every 100 ms, and lets four seconds pass. Returns how late each started. */
async function lagsOfSmall(shard: SimulatedShard, fromMs: number): Promise<number[]> {
  await shard.time.pass(fromMs - shard.time.nowMs());
  const small = [endpoint('small', GOOD, { accountId: SMALL })];
  shard.start(await sharedArtifact(steadyTimeline(20, 100)), small, order(SMALL, 2));
  await shard.time.pass(4_000);
  return lags(shard, GOOD, 100).map((lag) => lag - fromMs);
}

test('S8: an account with one endpoint waits for one turn of an account with thousands, not for one of each of its endpoints', async () => {
  const shard = new SimulatedShard();
  shard.network.sendingMs = 0.2;
  const large = endpointsOf(shard, LARGE, 2_000, () => answers(200, 1));
  shard.network.receiver(GOOD, () => answers(200, 1));
  shard.start(await sharedArtifact(steadyTimeline(6, 500)), large, order(LARGE, 1));
  const small = [endpoint('small', GOOD, { accountId: SMALL })];
  shard.start(await sharedArtifact(steadyTimeline(150, 20)), small, order(SMALL, 2));
  await shard.time.pass(4_000);
  const late = lags(shard, GOOD, 20);
  assert.equal(late.length, 150);
  assert.ok(Math.max(...late) <= 2 * TURN_SLICE_MS, `${Math.max(...late)} ms late`);
  assert.equal(shard.network.arrivals.length, 150 + 6 * 2_000);
});

test('S1: one account does not wait until the requests of thousands of idle connections of another are written', async () => {
  const shard = new SimulatedShard();
  shard.network.sendingMs = 0.02;
  shard.network.checks = true;
  const large = endpointsOf(shard, LARGE, 2_000, () => answers(200, 50));
  shard.network.receiver(GOOD, () => answers(200, 50));
  shard.start(await sharedArtifact(steadyTimeline(4, 500)), large, order(LARGE, 1));
  // Its updates are due while those of the large account are written.
  const late = await lagsOfSmall(shard, 7);
  assert.equal(late.length, 20);
  assert.ok(Math.max(...late) <= 2 * TURN_SLICE_MS, `${Math.max(...late)} ms late`);
  assert.equal(shard.network.arrivals.length, 20 + 4 * 2_000);
});

test('S1: one account does not wait until hundreds of responses to another are read', async () => {
  const shard = new SimulatedShard();
  const large = endpointsOf(shard, LARGE, 1_000, () => answers(200, 30));
  shard.network.receiver(GOOD, () => answers(200, 30));
  shard.start(await sharedArtifact(steadyTimeline(4, 500)), large, order(LARGE, 1));
  // The first responses cost nothing, so that the small account begins on time.
  await shard.time.pass(32);
  shard.network.readingMs = 0.03;
  // Its updates are due while the responses to the large account are read.
  const late = await lagsOfSmall(shard, 35);
  assert.equal(late.length, 20);
  assert.ok(Math.max(...late) <= 2 * TURN_SLICE_MS, `${Math.max(...late)} ms late`);
  assert.equal(shard.network.arrivals.length, 20 + 4 * 1_000);
});

test('S8: accounts that catch up take turns, too', async () => {
  const shard = new SimulatedShard();
  shard.network.sendingMs = 0.2;
  const large = endpointsOf(shard, LARGE, 500, () => answers(200, 1));
  shard.network.receiver(GOOD, () => answers(200, 1));
  const hourAgo = { startedAtMs: shard.time.wallMs() - 3_600_000 };
  const timeline = await sharedArtifact(steadyTimeline(200, 0));
  shard.start(timeline, large, { ...order(LARGE, 1), ...hourAgo });
  shard.start(timeline, [endpoint('small', GOOD, { accountId: SMALL })], { ...order(SMALL, 2), ...hourAgo });
  await shard.time.pass(1_000);
  const own = shard.network.at(GOOD).length;
  const all = shard.network.arrivals.length;
  assert.equal(own, 200, `${own} of its 200 updates, while ${all} were sent`);
});

test('S6: only an account whose own actors are more than fit into a slice gets no second slot', async () => {
  const shard = new SimulatedShard();
  shard.network.sendingMs = 0.2;
  const large = endpointsOf(shard, LARGE, 2_000, () => answers(200, 1));
  shard.network.receiver(GOOD, () => answers(200, 12));
  shard.start(await sharedArtifact(steadyTimeline(6, 500)), large, order(LARGE, 1));
  const pairs = steadyTimeline(60, 25);
  const small = [endpoint('small', GOOD, { accountId: SMALL })];
  shard.start(await sharedArtifact(pairs), small, { ...order(SMALL, 2), speed: 2.5 });
  await shard.time.pass(4_000);
  const late = lags(shard, GOOD, 10);
  assert.equal(late.length, 60);
  // One attempt at a time would take 12 ms each, with an update every 10 ms.
  assert.ok(Math.max(...late) <= 2 * TURN_SLICE_MS, `${Math.max(...late)} ms late`);
});

test('S9: an account whose endpoints all hang leaves slots for others', async () => {
  const shard = new SimulatedShard();
  const large = endpointsOf(shard, LARGE, SHARD_IN_FLIGHT_MAX + 1_000, () => ({ kind: 'hang' }));
  shard.network.receiver(GOOD, () => answers(200, 100));
  shard.start(await sharedArtifact(steadyTimeline(5, 1)), large, order(LARGE, 1));
  await shard.time.pass(100);
  const others = Array.from({ length: 10 }, (_, index) => endpoint(`${index}`, GOOD, { accountId: SMALL }));
  shard.start(await sharedArtifact(steadyTimeline(20, 0)), others, order(SMALL, 2));
  await shard.time.pass(1_000);
  assert.ok(shard.network.inFlightMost <= SHARD_IN_FLIGHT_MAX, 'I2');
  assert.equal(shard.network.at(GOOD).length, 200);
});

test('S9: two accounts that need more slots than there are hold as many each', async () => {
  const shard = new SimulatedShard();
  const accounts = ['acc_a', 'acc_b'];
  for (const [index, accountId] of accounts.entries()) {
    const endpoints = endpointsOf(shard, accountId, 3_000, () => answers(200, 500));
    shard.start(await sharedArtifact(steadyTimeline(4, 0)), endpoints, order(accountId, index + 1));
  }
  await shard.time.pass(400);
  const held = accounts.map(
    (accountId) =>
      shard.network.arrivals.filter(({ origin }) => origin.startsWith(`http://${accountId.replace('_', '-')}-`)).length,
  );
  assert.ok(Math.abs(held[0]! - held[1]!) <= 2 * IN_FLIGHT_START, `${held} slots`);
  assert.ok(held[0]! + held[1]! > 0.95 * SHARD_IN_FLIGHT_MAX, `${held} slots`);
  await shard.time.pass(20_000);
  assert.equal(shard.network.arrivals.length, 2 * 3_000 * 4);
  assert.ok(shard.settled('run_1') && shard.settled('run_2'));
});

test('S9: a slot that is freed goes to the account whose turn it is, however many endpoints of another wait', async () => {
  const shard = new SimulatedShard();
  // So many accounts that their shares use up the shard.
  const accounts = 400;
  const timeline = await sharedArtifact(steadyTimeline(1, 0));
  for (let index = 0; index < accounts; index++) {
    const count = index === 0 ? 2_000 : 20;
    const endpoints = endpointsOf(shard, `acc_${index}`, count, () => answers(200, 1_000));
    shard.start(timeline, endpoints, order(`acc_${index}`, index + 1));
  }
  shard.network.receiver(BAD, () => answers(200, 1));
  await shard.time.pass(500);
  shard.start(timeline, [endpoint('late', BAD, { accountId: 'acc_late' })], order('acc_late', accounts + 1));
  await shard.time.pass(600);
  assert.equal(shard.network.at(BAD).length, 1, 'a round of slots later');
  await shard.time.pass(60_000);
  assert.equal(shard.network.arrivals.length, 2_000 + 399 * 20 + 1);
});
