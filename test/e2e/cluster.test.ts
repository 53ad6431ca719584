// Services that share one PostgreSQL, as processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotOf } from '#engine/nodes/slots.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { startCluster } from '#test/support/cluster-processes.ts';
import { type ApiClient, runAdminCommand } from '#test/support/service-process.ts';
import { writeShortRace } from '#test/support/short-race.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';

const SESSION = '2026-short-race';
const UPDATES = 1_201;
const ACCOUNTS = 4;

interface Run {
  readonly api: ApiClient;
  readonly accountId: string;
  readonly webhookId: string;
  readonly runId: string;
}

test('two nodes share the accounts, each answers for the other, a kill -9 loses nothing and repeats nothing recorded, and a node that joins or leaves repeats nothing at all', async (t) => {
  const cluster = await startCluster(t, 2, async (dataDir, env) => {
    await runAdminCommand(dataDir, ['import', 'recording', writeShortRace(dataDir), '--session', SESSION], env);
  });
  const sql = cluster.database.connect(1);
  await slotsAre(sql, { 1: 128, 2: 128 });
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());

  // Each account asks the node that is not its home.
  const customers: Pick<Run, 'accountId' | 'api'>[] = [];
  const homes = await owners(sql);
  for (const node of [1, 2]) {
    // Accounts get their slots by chance.
    for (let i = 0, found = 0; found < ACCOUNTS / 2; i++) {
      assert.ok(i < 30, 'half of all slots are on each node');
      const customer = await cluster.account(`a${node}-${i}@example.org`, 2 - node);
      if (homes[slotOf(customer.accountId)] !== node) continue;
      found++;
      customers.push(customer);
    }
  }
  const start = async ({ accountId, api }: (typeof customers)[number], speed: number): Promise<Run> => {
    const made = await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await api.call('POST', '/simulate/prepare', { sessionId: SESSION });
    await api.until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');
    const started = await api.call('GET', `/simulate/stream?session=${SESSION}&speed=${speed}&sinks=webhook`);
    assert.equal(started.status, 202, JSON.stringify(started.body));
    return { api, accountId, webhookId: made.body.data.webhookId, runId: started.body.data.runId };
  };
  const completed = async (runs: readonly Run[], address: string): Promise<void> => {
    for (const { api, runId } of runs) {
      const { data } = await api.at(address).until(`/simulate/runs/${runId}`, (body) => body.data.state !== 'running');
      assert.equal(data.state, 'completed');
    }
  };
  /** Distinct deliveries that were received, and how many came more than once. */
  const received = () => {
    const ids = receiver.received.map(({ headers }) => headers['x-service-delivery-id']);
    return { deliveries: new Set(ids).size, repeated: ids.length - new Set(ids).size };
  };
  const recorded = async (): Promise<number> => {
    const [row] = await sql<{ attempts: number }[]>`select coalesce(sum(attempts), 0)::int as attempts from usage`;
    return row!.attempts;
  };

  const runs = await Promise.all(customers.map((customer) => start(customer, 10)));
  while (receiver.received.length < 500) await new Promise((resolve) => setTimeout(resolve, 20));
  await cluster.nodes[0]!.end('SIGKILL');
  const atKill = { made: receiver.received.length, recorded: await recorded() };
  await completed(runs, cluster.nodes[1]!.address);
  const { deliveries, repeated } = received();
  t.diagnostic(`${atKill.made} made and ${atKill.recorded} recorded at the kill, ${repeated} repeated`);
  assert.equal(deliveries, ACCOUNTS * UPDATES, 'nothing is lost');
  assert.ok(repeated <= atKill.made - atKill.recorded, `${repeated} repeated`);
  assert.equal(await recorded(), ACCOUNTS * UPDATES, 'each delivery is recorded once');

  // Runs, now with two endpoints each, are under way while half of the accounts move to a node that joins, and again when it leaves.
  const joined = await cluster.start(0);
  const again = await Promise.all(
    customers.map(({ accountId, api }) => start({ accountId, api: api.at(cluster.nodes[1]!.address) }, 10)),
  );
  await slotsAre(sql, { 2: 128, 3: 128 });
  const handedOver = receiver.received.length;
  await joined.end('SIGTERM');
  await slotsAre(sql, { 2: 256 });
  t.diagnostic(`${handedOver - atKill.made} deliveries until half of the accounts had moved`);
  await completed(again, cluster.nodes[1]!.address);
  assert.deepEqual(received().deliveries, 3 * ACCOUNTS * UPDATES);
  assert.equal(received().repeated, repeated, 'no handover repeats a delivery');
  assert.equal(await recorded(), 3 * ACCOUNTS * UPDATES);

  const alone = await runAdminCommand(cluster.dataDirs[0]!, ['cluster', 'status', '--json'], cluster.env);
  assert.deepEqual(
    (alone.nodes as unknown as { node: number; slots: number }[]).map(({ node, slots }) => [node, slots]),
    [[2, 256]],
  );
});

async function owners(sql: Sql): Promise<number[]> {
  const rows = await sql<{ node: number }[]>`select coalesce(node_no, 0) as node from cluster_slot order by slot`;
  return rows.map(({ node }) => node);
}

async function slotsAre(sql: Sql, expected: Readonly<Record<number, number>>): Promise<void> {
  let counts: Record<number, number> = {};
  for (let tries = 0; tries < 150; tries++) {
    counts = {};
    for (const owner of await owners(sql)) counts[owner] = (counts[owner] ?? 0) + 1;
    if (JSON.stringify(counts) === JSON.stringify(expected)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.deepEqual(counts, expected);
}
