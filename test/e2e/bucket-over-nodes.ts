// `node test/e2e/bucket-over-nodes.ts [ROUNDS]`: an account with 1,000 attempts left in its month, and a cluster of three nodes.
// Replays and tests go through all nodes at once, and the account's home is killed among them. The log never has more than
// 1,000 attempts, and exactly 1,000 in the end. A round takes about a minute, so it is not part of `npm test`.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { TERMS } from '#api/plans/plan.ts';
import { loggedCount } from '#bench/suite/logged-attempts.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { slotOf } from '#engine/nodes/slots.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type ClusterProcesses, startCluster } from '#test/support/cluster-processes.ts';
import { type ApiClient, runAdminCommand } from '#test/support/service-process.ts';
import { writeShortRace } from '#test/support/short-race.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';

const SESSION = '2026-short-race';
const NODES = 3;
const LEFT = 1_000;
const KILLED_AT = 300;
const ENDPOINTS = 2;
const INCLUDED = TERMS.developer.deliveriesPerMonth;
const PATIENCE_MS = 120_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function counts(sql: Sql): Promise<{ logged: number; used: number }> {
  const [row] = await sql<[{ logged: number; used: number }]>`
    select ${loggedCount(sql)} as logged, (select coalesce(sum(attempts), 0)::int from usage) - ${INCLUDED - LEFT}::int as used`;
  return row;
}

/** Which node is home to the account, by its place in the list of processes. */
async function homeOf({ nodes }: ClusterProcesses, sql: Sql, accountId: string): Promise<number> {
  const [row] = await sql<{ address: string }[]>`
    select address from cluster_slot join cluster_node using (node_no) where slot = ${slotOf(accountId)}`;
  const ports = await sql<{ address: string }[]>`select address from cluster_node order by node_no`;
  assert.equal(ports.length, nodes.length);
  return ports.findIndex(({ address }) => address === row!.address);
}

async function round(scope: { after(end: () => unknown): void }): Promise<void> {
  const cluster = await startCluster(scope, NODES, async (dataDir, env) => {
    await runAdminCommand(dataDir, ['import', 'recording', writeShortRace(dataDir), '--session', SESSION], env);
    rmSync(`${dataDir}/short-race`, { recursive: true });
  });
  const sql = cluster.database.connect(2);
  const receiver = await startWebhookReceiver();
  scope.after(() => receiver.close());
  const { accountId, api } = await cluster.account('bucket@example.org', 0, 'developer');
  await sql`update account set spend_cap_cents = 0 where account_id = ${accountId}`;
  await sql`insert into usage (account_id, month, feed_id, attempts)
    values (${accountId}, ${monthOf(Date.now()).firstDay}, 'lap.count', ${BigInt(INCLUDED - LEFT)})`;
  let alive = cluster.nodes.map((_, node) => node);
  const at = (turn: number): ApiClient => api.at(cluster.nodes[alive[turn % alive.length]!]!.address);
  const webhookIds: string[] = [];
  for (let i = 0; i < ENDPOINTS; i++) {
    const made = await at(i).call('POST', '/webhooks', {
      webhookUrl: receiver.url,
      feedIds: ['timing.data', 'lap.count'],
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    webhookIds.push(made.body.data.webhookId);
  }
  await api.call('POST', '/simulate/prepare', { sessionId: SESSION });
  for (let node = 0; node < NODES; node++)
    await at(node).until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');

  let most = 0;
  let isOver = false;
  let tests = 0;
  /** A node that is just being killed answers nothing, and refuses for a moment. */
  const tried = async (work: () => Promise<unknown>): Promise<void> => void (await work().catch(() => {}));
  const watch = async (): Promise<void> => {
    for (; !isOver; await pause(20)) {
      const { logged, used } = await counts(sql);
      most = Math.max(most, logged, used);
    }
  };
  const replay = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      await tried(() => at(turn).call('GET', `/simulate/stream?session=${SESSION}&speed=10&sinks=webhook`));
      await pause(200);
    }
  };
  const test = async (first: number): Promise<void> => {
    for (let turn = first; !isOver; turn++) {
      await tried(async () => {
        const { body } = await at(turn).call('POST', `/webhooks/${webhookIds[turn % ENDPOINTS]}/test`);
        if (body.data?.delivered === true) tests++;
      });
      await pause(100);
    }
  };
  const work = [watch(), replay(), ...cluster.nodes.map((_, node) => test(node))];
  const untilMs = performance.now() + PATIENCE_MS;
  while ((await counts(sql)).logged < KILLED_AT) {
    assert.ok(performance.now() < untilMs, 'deliveries are made');
    await pause(20);
  }
  const home = await homeOf(cluster, sql, accountId);
  alive = alive.filter((node) => node !== home);
  await cluster.nodes[home]!.end('SIGKILL');
  while ((await counts(sql)).logged < LEFT) {
    assert.ok(performance.now() < untilMs, `only ${(await counts(sql)).logged} of ${LEFT} attempts`);
    await pause(50);
  }
  // What would be one too many had time to come.
  await pause(3_000);
  isOver = true;
  await Promise.all(work);
  const { logged, used } = await counts(sql);
  process.stdout.write(
    `home ${home} killed; ${logged} logged, ${used} used, never more than ${most}; ${receiver.received.length} received, ${tests} tests\n`,
  );
  assert.deepEqual([logged, used, most], [LEFT, LEFT, LEFT]);
}

const rounds = Number(process.argv[2] ?? 1);
for (let i = 0; i < rounds; i++) {
  const ends: (() => unknown)[] = [];
  try {
    await round({ after: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
process.exit();
