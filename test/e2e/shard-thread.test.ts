// A shard thread that dies in the middle of a run, with a real database, real threads and real sockets.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ShardRouter } from '#engine/cluster/shard-router.ts';
import { lagMemory } from '#engine/live/lag-histogram.ts';
import { allowanceCell } from '#engine/usage/allowance.ts';
import type { FromShard } from '#schemas/wire/shard-messages.ts';
import { withDatabase } from '#test/support/database.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import type { ShardThreadData } from '#workers/shard-thread.ts';

const UPDATES = 400;

test('I9: a shard thread that dies is started again and goes on from its checkpoints', async () => {
  const { database, sql } = await withDatabase({ after });
  await sql`insert into account (account_id, email, plan, client_id, client_secret_sealed)
    values ('acc_1', 'a@example.org', 'custom', 'cli_1', ''::bytea)`;
  await sql`insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
    values ('run_1', 'acc_1', 'small-race', 1, 'webhook', 'running', ${UPDATES})`;
  const [run] = await sql<{ runNo: number }[]>`select run_no as "runNo" from run`;
  const receiver = await startWebhookReceiver();
  const troubles: string[] = [];
  let current: Worker | null = null;
  let incarnations = 0;
  const router = new ShardRouter({
    shards: 1,
    startShard(shard, events) {
      const data: ShardThreadData = {
        shard,
        writer: { name: 'shard-0', incarnation: ++incarnations },
        connection: database.connection,
        headerPrefix: 'X-Service',
        ownPorts: new Uint16Array(new SharedArrayBuffer(0)),
        logLevel: 'silent',
        liveToLocalhost: false,
        liveLags: [lagMemory()],
      };
      const worker = new Worker(new URL('../../workers/shard.ts', import.meta.url), { workerData: data });
      current = worker;
      worker.on('message', (message: FromShard) => events.heard(message));
      worker.on('exit', () => events.died(new Error('terminated')));
      return {
        post: (message) => worker.postMessage(message),
        end: async () => void (await worker.terminate()),
      };
    },
    testDelivery: () => Promise.reject(new Error('not here')),
    schedule: (delayMs, callback) => void setTimeout(callback, delayMs).unref(),
    troubled: (what) => troubles.push(what),
  });
  let end = () => {};
  const settled = new Promise<void>((resolve) => {
    end = resolve;
  });
  router.startRun(
    {
      mode: 'replay',
      runId: 'run_1',
      runNo: run!.runNo,
      sessionId: 'small-race',
      accountId: 'acc_1',
      speed: 1,
      startedAtMs: Date.now(),
      allFeeds: false,
      allowance: allowanceCell(),
    },
    await sharedArtifact(steadyTimeline(UPDATES, 10)),
    [endpointSettings({ url: receiver.url })],
    false,
    { firstAttempt: () => {}, settled: () => end() },
  );
  for (let kills = 0; kills < 2; kills++) {
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await (current as Worker | null)!.terminate();
  }
  await settled;
  assert.equal(troubles.length, 2, troubles.join('; '));
  const sequences = receiver.received.map(({ sequence }) => sequence);
  assert.equal(new Set(sequences).size, UPDATES, 'nothing is lost');
  const [counts] = await sql<{ logged: number; used: number; delivered: number; matched: number }[]>`
    select (select count(*)::int from delivery_attempt) as logged, (select sum(attempts)::int from usage) as used,
      delivered, matched from run_endpoint`;
  assert.equal(counts!.delivered, UPDATES);
  assert.equal(counts!.matched, UPDATES, 'I1');
  assert.equal(counts!.logged, counts!.used, 'I10');
  assert.ok(sequences.length - counts!.logged >= 0, 'only what was not written down came again');
  await router.drain();
  await receiver.close();
});
