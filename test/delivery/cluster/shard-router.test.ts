import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#engine/base/ids.ts';
import { DRAIN_DEADLINE_MS, THREAD_HEALTHY_MS, THREAD_RESTART_MS, THREAD_RESTART_MS_MAX } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { RunListener } from '#engine/delivery/cluster/delivery-control.ts';
import { Placement } from '#engine/delivery/cluster/placement.ts';
import { type ShardEvents, ShardRouter } from '#engine/delivery/cluster/shard-router.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import type { ToShard } from '#engine/delivery/shard/shard-messages.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const ORDER: RunOrder = {
  mode: 'replay',
  runId: 'run_1',
  runNo: 1,
  sessionId: 's',
  accountId: 'acc_1',
  speed: 1,
  pacedFromMs: 0,
  allFeeds: false,
  allowance: allowanceCell(),
};
const ARTIFACT = { bytes: new SharedArrayBuffer(8) };

function setUp(shards: number) {
  const time = new SimulatedTime();
  const threads: { shard: number; posted: ToShard[]; events: ShardEvents }[] = [];
  const settled: string[] = [];
  const begun: string[] = [];
  const router = new ShardRouter({
    shards,
    startShard(shard, events) {
      const thread = { shard, posted: [] as ToShard[], events };
      threads.push(thread);
      return { post: (message) => thread.posted.push(message), end: async () => {} };
    },
    makeSnapshots: async () => null,
    schedule: (delayMs, callback) => time.schedule(delayMs, callback),
    reportProblem: () => {},
  });
  const listener: RunListener = {
    firstAttempt: (runId) => begun.push(runId),
    settled: (runId) => settled.push(runId),
  };
  return { time, threads, router, settled, begun, listener };
}

/** Endpoints that are spread over both of two shards. */
function spread() {
  const placement = new Placement(2);
  const of = (shard: number) => {
    let webhookId = newId('wh', 1_700_000_000_000, systemRandomBytes);
    while (placement.shardOf(webhookId) !== shard) webhookId = newId('wh', 1_700_000_000_000, systemRandomBytes);
    return endpointSettings({ webhookId });
  };
  return [of(0), of(1)] as const;
}

test('C1: each endpoint of a run goes to the shard that owns it', () => {
  const { threads, router, listener } = setUp(2);
  const [a, b] = spread();
  router.startRun(ORDER, ARTIFACT, [a, b], false, listener);
  const handed = threads.map(({ posted }) => posted.flatMap((m) => (m.kind === 'run.start' ? m.endpoints : [])));
  assert.deepEqual(handed, [[a], [b]]);
});

test('C2: a run is settled once every shard with a part of it has settled it, and is reported once', () => {
  const { threads, router, settled, begun, listener } = setUp(2);
  router.startRun(ORDER, ARTIFACT, spread(), false, listener);
  for (const { events } of threads) events.heard({ kind: 'run.first-attempt', runId: 'run_1' });
  assert.deepEqual(begun, ['run_1']);
  threads[0]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  assert.deepEqual(settled, []);
  threads[1]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  threads[1]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  assert.deepEqual(settled, ['run_1']);
});

test('a run without endpoints is settled at once', async () => {
  const { time, router, settled, listener } = setUp(2);
  router.startRun(ORDER, ARTIFACT, [], false, listener);
  await time.pass(1);
  assert.deepEqual(settled, ['run_1']);
});

test('C3: a shard that died is restarted with its open runs, the present settings, and deletions and stops since', async () => {
  const { time, threads, router, listener } = setUp(2);
  const [a, b] = spread();
  router.startRun(ORDER, ARTIFACT, [a, b], false, listener);
  const changed = { ...a, active: false };
  router.endpointsChanged([changed]);
  router.endpointDeleted(b.webhookId);
  router.stopRun('run_1');
  threads[0]!.events.died(new Error('gone'));
  threads[1]!.events.died(new Error('gone'));
  await time.pass(10_000);
  assert.equal(threads.length, 4);
  const [third, fourth] = threads.slice(2).map(({ posted }) => posted);
  const resumed = {
    kind: 'run.start',
    run: ORDER,
    timeline: ARTIFACT,
    resumed: true,
    stopping: 'stopped',
    parking: false,
  };
  assert.deepEqual(third, [{ ...resumed, endpoints: [changed], deleted: [] }]);
  assert.deepEqual(fourth, [{ ...resumed, endpoints: [b], deleted: [b.webhookId] }]);
});

test('what a plan covers now is sent with the other settings of the endpoints that are in a run, once for each', async () => {
  const { time, threads, router, listener } = setUp(2);
  const [a, b] = spread();
  router.startRun(ORDER, ARTIFACT, [a], false, listener);
  router.startRun({ ...ORDER, runId: 'run_2' }, ARTIFACT, [a], false, listener);
  const covered = { webhookId: a.webhookId, accountId: a.accountId, active: false, subscriptions: [] };
  router.coverageChanged([covered, { ...covered, webhookId: b.webhookId }]);
  const changed = { ...a, active: false, subscriptions: [] };
  assert.deepEqual(threads[0]!.posted.slice(2), [{ kind: 'endpoints.changed', settings: [changed] }]);
  assert.deepEqual(threads[1]!.posted, [], 'b is in no run');
  threads[0]!.events.died(new Error('gone'));
  await time.pass(10_000);
  const again = threads[2]!.posted.map((message) => message.kind === 'run.start' && message.endpoints);
  assert.deepEqual(again, [[changed], [changed]]);
});

test('an account is delivered to while a run of it is under way', () => {
  const { threads, router, listener } = setUp(2);
  assert.equal(router.delivers('acc_1'), false);
  router.startRun(ORDER, ARTIFACT, spread(), false, listener);
  assert.deepEqual([router.delivers('acc_1'), router.delivers('acc_2')], [true, false]);
  for (const { events } of threads) events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  assert.equal(router.delivers('acc_1'), false);
});

test('a change of an endpoint is compared with the runs of its account only, however many others there are', () => {
  const { router, listener } = setUp(1);
  for (let i = 1; i <= 100; i++) {
    const accountId = `acc_${i}`;
    const order = { ...ORDER, runId: `run_${i}`, accountId };
    router.startRun(order, ARTIFACT, [endpointSettings({ webhookId: `wh_${i}`, accountId })], false, listener);
  }
  let reads = 0;
  const changed = {
    ...endpointSettings({ accountId: 'acc_1' }),
    get webhookId() {
      reads++;
      return 'wh_1';
    },
  };
  router.endpointsChanged([changed]);
  assert.ok(reads < 10, `${reads} reads`);
  reads = 0;
  router.coverageChanged([changed]);
  assert.ok(reads < 10, `${reads} reads of coverage`);
});

test('C3: a part that was settled before the shard died is not handed over again', async () => {
  const { time, threads, router, listener } = setUp(2);
  router.startRun(ORDER, ARTIFACT, spread(), false, listener);
  threads[0]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  threads[0]!.events.died(new Error('gone'));
  await time.pass(10_000);
  assert.deepEqual(threads[2]!.posted, []);
});

test('a shard that keeps dying is restarted after growing pauses', async () => {
  const { time, threads } = setUp(1);
  for (let i = 0; i < 20; i++) {
    threads.at(-1)!.events.died(new Error('gone'));
    await time.pass(1_000);
  }
  assert.ok(threads.length < 10, `${threads.length} starts in 20 seconds`);
});

test('drain waits for every shard, even one that dies in the meantime', async () => {
  const { threads, router } = setUp(2);
  const drained = router.drain();
  assert.deepEqual(
    threads.map(({ posted }) => posted.at(-1)!.kind),
    ['drain', 'drain'],
  );
  threads[0]!.events.heard({ kind: 'drained', lost: 0 });
  threads[1]!.events.died(new Error('gone'));
  await drained;
  assert.equal(router.cutOff, 1, 'deliveries that it had not recorded are repeated');
});

test('a shard that could neither record nor keep its last attempts counts as cut off', async () => {
  const { threads, router } = setUp(2);
  const drained = router.drain();
  threads[0]!.events.heard({ kind: 'drained', lost: 0 });
  threads[1]!.events.heard({ kind: 'drained', lost: 2 });
  await drained;
  assert.equal(router.cutOff, 1);
});

test('a shard that becomes ready and then dies of its runs is restarted after growing pauses', async () => {
  const { time, threads } = setUp(1);
  for (let i = 0; i < 20; i++) {
    threads.at(-1)!.events.heard({ kind: 'ready' });
    threads.at(-1)!.events.died(new Error('gone'));
    await time.pass(1_000);
  }
  assert.ok(threads.length < 10, `${threads.length} starts in 20 seconds`);
});

test('a shard that has been healthy for a while is restarted at once', async () => {
  const { time, threads } = setUp(1);
  for (let i = 0; i < 6; i++) {
    threads.at(-1)!.events.died(new Error('gone'));
    await time.pass(THREAD_RESTART_MS_MAX);
  }
  threads.at(-1)!.events.heard({ kind: 'ready' });
  await time.pass(THREAD_HEALTHY_MS);
  const { length } = threads;
  threads.at(-1)!.events.died(new Error('gone'));
  await time.pass(THREAD_RESTART_MS);
  assert.equal(threads.length, length + 1);
});

test('drain ends after a deadline even if a shard cannot record its deliveries', async () => {
  const { time, router } = setUp(1);
  let drained = false;
  void router.drain().then(() => {
    drained = true;
  });
  await time.pass(DRAIN_DEADLINE_MS - 1);
  assert.equal(drained, false);
  await time.pass(2);
  assert.equal(drained, true);
  assert.equal(router.cutOff, 1);
});

test('once the service is ending, no run starts and no shard is restarted', async () => {
  const { time, threads, router, listener } = setUp(1);
  threads[0]!.events.died(new Error('gone'));
  void router.drain();
  router.startRun(ORDER, ARTIFACT, [endpointSettings()], false, listener);
  await time.pass(10_000);
  assert.equal(threads.length, 1);
  assert.deepEqual(threads[0]!.posted, []);
});

test('a shard that reports its death twice is restarted once', async () => {
  const { time, threads } = setUp(1);
  threads[0]!.events.died(new Error('gone'));
  threads[0]!.events.died(new Error('gone'));
  await time.pass(10_000);
  assert.equal(threads.length, 2);
});

const LIVE: RunOrder = { ...ORDER, mode: 'live', speed: Number.POSITIVE_INFINITY };

test('C1: an endpoint that joins a run goes to the shard that owns it, alone', () => {
  const { threads, router, listener } = setUp(2);
  const [a, b] = spread();
  const [, c] = spread();
  router.startRun(LIVE, ARTIFACT, [a, b], true, listener);
  for (const { posted } of threads) posted.length = 0;
  router.joinRun('run_1', [c]);
  assert.deepEqual(
    threads.map(({ posted }) => posted),
    [[], [{ kind: 'run.join', runId: 'run_1', endpoints: [c] }]],
  );
});

test('a shard without a part of the run, or with a settled one, gets the run with the endpoint that joins', () => {
  const { threads, router, settled, listener } = setUp(2);
  const [a, b] = spread();
  router.startRun(LIVE, ARTIFACT, [a], true, listener);
  router.joinRun('run_1', [b]);
  assert.deepEqual(threads[1]!.posted, [
    {
      kind: 'run.start',
      run: LIVE,
      timeline: ARTIFACT,
      endpoints: [b],
      resumed: true,
      deleted: [],
      stopping: null,
      parking: false,
    },
  ]);
  threads[0]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  assert.deepEqual(settled, [], 'C2: the new part counts');
  const [c] = spread();
  router.joinRun('run_1', [c]);
  assert.deepEqual(
    threads[0]!.posted.map(({ kind }) => kind),
    ['run.start', 'run.start'],
  );
  threads[1]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  threads[0]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  assert.deepEqual(settled, ['run_1']);
});

test('C2, I1: a part that was settled before the join arrived is handed over again, with all its endpoints', () => {
  const { threads, router, settled, listener } = setUp(1);
  const [a, b] = spread();
  router.startRun(LIVE, ARTIFACT, [a], true, listener);
  router.joinRun('run_1', [a, b]);
  threads[0]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  assert.deepEqual(settled, []);
  const begun = { run: LIVE, timeline: ARTIFACT, resumed: true, deleted: [], stopping: null, parking: false };
  assert.deepEqual(threads[0]!.posted, [
    { kind: 'run.start', ...begun, endpoints: [a] },
    { kind: 'run.join', runId: 'run_1', endpoints: [a, b] },
    { kind: 'run.start', ...begun, endpoints: [a, b] },
  ]);
  threads[0]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  assert.deepEqual(settled, ['run_1']);
});

test('C3: a restarted shard gets the endpoints that have joined, including one that joined while it was down', async () => {
  const { time, threads, router, listener } = setUp(2);
  const [a] = spread();
  const [b] = spread();
  const [c] = spread();
  router.startRun(LIVE, ARTIFACT, [a], true, listener);
  router.joinRun('run_1', [b]);
  threads[0]!.events.died(new Error('gone'));
  router.joinRun('run_1', [c]);
  const changed = { ...b, active: false };
  router.endpointsChanged([changed]);
  await time.pass(10_000);
  assert.deepEqual(threads[2]!.posted, [
    {
      kind: 'run.start',
      run: LIVE,
      timeline: ARTIFACT,
      endpoints: [a, changed, c],
      resumed: true,
      deleted: [],
      stopping: null,
      parking: false,
    },
  ]);
});

test('C3, C6: the next thread of a shard learns with the run that it is to let go of it', async () => {
  const { time, threads, router, listener } = setUp(1);
  router.startRun(ORDER, ARTIFACT, [endpointSettings()], false, listener);
  router.parkRun('run_1');
  threads[0]!.events.died(new Error('gone'));
  await time.pass(10_000);
  const [again, ...further] = threads[1]!.posted;
  assert.ok(again?.kind === 'run.start');
  assert.deepEqual([again.parking, further], [true, []]);
});

test('C3: a run that has expired stays expired on the next thread of its shard', async () => {
  const { time, threads, router, listener } = setUp(1);
  router.startRun(LIVE, ARTIFACT, [endpointSettings()], true, listener);
  router.stopRun('run_1', 'expired');
  threads[0]!.events.died(new Error('gone'));
  await time.pass(10_000);
  const again = threads[1]!.posted.at(-1)!;
  assert.equal(again.kind === 'run.start' && again.stopping, 'expired');
});

test('no endpoint joins a run that is over or unknown, or any run while the service ends', () => {
  const { threads, router, listener } = setUp(1);
  router.joinRun('run_1', [endpointSettings()]);
  router.startRun(LIVE, ARTIFACT, [endpointSettings()], true, listener);
  threads[0]!.events.heard({ kind: 'run.settled', runId: 'run_1', joins: 0 });
  router.joinRun('run_1', [endpointSettings({ webhookId: 'wh_2' })]);
  router.startRun({ ...LIVE, runId: 'run_2' }, ARTIFACT, [endpointSettings()], true, listener);
  void router.drain();
  router.joinRun('run_2', [endpointSettings({ webhookId: 'wh_2' })]);
  assert.deepEqual(
    threads[0]!.posted.map(({ kind }) => kind),
    ['run.start', 'run.start', 'drain'],
  );
});

test('each run reports to its own listener: live delivery and replays do not mix', () => {
  const { threads, router, settled, listener } = setUp(1);
  const liveSettled: string[] = [];
  router.startRun(ORDER, ARTIFACT, [endpointSettings()], false, listener);
  router.startRun({ ...LIVE, runId: 'run_2' }, ARTIFACT, [endpointSettings()], true, {
    firstAttempt: () => {},
    settled: (runId) => liveSettled.push(runId),
  });
  for (const runId of ['run_2', 'run_1']) threads[0]!.events.heard({ kind: 'run.settled', runId, joins: 0 });
  assert.deepEqual([settled, liveSettled], [['run_1'], ['run_2']]);
});

test('a problem is reported while a shard is being restarted, until it is ready, and while its record buffer is full', async () => {
  const { time, threads, router } = setUp(2);
  assert.deepEqual(router.problems(), [], 'messages to a first thread wait until it is ready');
  for (const { events } of threads) events.heard({ kind: 'ready' });
  threads[0]!.events.died(new Error('gone'));
  assert.deepEqual(router.problems(), ['shard 0 is being restarted']);
  await time.pass(THREAD_RESTART_MS);
  assert.equal(threads.length, 3);
  assert.deepEqual(router.problems(), ['shard 0 is being restarted'], 'the new thread may die as well');
  threads[2]!.events.heard({ kind: 'ready' });
  assert.deepEqual(router.problems(), []);
  threads[1]!.events.heard({ kind: 'records', full: true });
  assert.deepEqual(router.problems(), ['shard 1 waits for the database to take its records']);
  threads[1]!.events.heard({ kind: 'records', full: false });
  assert.deepEqual(router.problems(), []);
});

function testOrder() {
  const body = new TextEncoder().encode('{}');
  return { settings: endpointSettings(), feedId: 'lap.count', body, allowance: allowanceCell() };
}

test('C4: a test goes to the shard of its endpoint and ends with the outcome that the shard reports', async () => {
  const { threads, router } = setUp(1);
  const outcome = router.test(testOrder());
  const posted = threads[0]!.posted.at(-1)!;
  assert.ok(posted.kind === 'test.start');
  threads[0]!.events.heard({ kind: 'test.ended', testId: posted.order.testId + 1, outcome: { kind: 'unavailable' } });
  threads[0]!.events.heard({ kind: 'test.ended', testId: posted.order.testId, outcome: { kind: 'skipped' } });
  assert.deepEqual(await outcome, { kind: 'skipped' });
});

test('C4: a test is unavailable when its shard dies, is being restarted, or drains', async () => {
  const { threads, router, time } = setUp(1);
  const cut = router.test(testOrder());
  threads[0]!.events.died(new Error('gone'));
  assert.deepEqual(await cut, { kind: 'unavailable' });
  assert.deepEqual(await router.test(testOrder()), { kind: 'unavailable' });
  await time.pass(THREAD_RESTART_MS);
  const drained = router.test(testOrder());
  const end = router.drain();
  assert.deepEqual(await router.test(testOrder()), { kind: 'unavailable' });
  threads[1]!.events.heard({ kind: 'drained', lost: 0 });
  await end;
  assert.deepEqual(await drained, { kind: 'unavailable' });
});
