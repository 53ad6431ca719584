import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { PostgresMembership } from '#engine/nodes/postgres-membership.ts';
import { connect, nodeTag } from '#engine/storage/postgres-client.ts';
import { membershipConformance } from '#test/conformance/membership.ts';
import { withDatabase } from '#test/support/database.ts';
import { MemoryMembership } from '#test/support/memory-membership.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const { sql, database } = await withDatabase({ after });
const FACTS = { version: '1', deriverVersion: 1, schemaVersion: 1_000, keyPrint: Buffer.of(1) };
const writers = new PostgresRecordStore(sql);

membershipConformance('in PostgreSQL', async () => {
  await sql`update cluster_slot set node_no = null`;
  await sql`delete from cluster_node`;
  return {
    membership: new PostgresMembership(sql, systemClock),
    expire: async (nodeNo) => {
      await sql`update cluster_node set lease_until = clock_timestamp() - interval '1 ms' where node_no = ${nodeNo}`;
    },
    admitWriter: (nodeId) => writers.admit({ name: `${nodeId} shard 0`, epoch: 1 }),
    isFenced: async (nodeId) => (await writers.lastBatch({ name: `${nodeId} shard 0`, epoch: 1 })) === null,
  };
});

membershipConformance('in memory', async () => {
  const membership = new MemoryMembership(new SimulatedTime());
  return {
    membership,
    expire: async (nodeNo) => membership.expire(nodeNo),
    admitWriter: async () => {},
    isFenced: async (nodeId) => membership.superseded.includes(nodeId),
  };
});

/** Tables that a replaced node may still reach, and why that harms nobody. A new table needs a trigger or a line here. */
const UNFENCED: Readonly<Record<string, string>> = {
  calendar_event: 'commands alone write it',
  calendar_session: 'commands alone write it',
  cluster_node: 'the membership itself',
  cluster_slot: 'the membership itself',
  delivery_attempt: 'nobody writes it any more',
  due_update: 'record_writer fences it',
  endpoint_health: 'record_writer fences it',
  endpoint_health_span: 'record_writer fences it',
  house_clock: 'it belongs to no account, and only rises',
  late_checkpoints: 'record_writer fences it',
  live_frames: 'the claim of the session fences it',
  live_gap: 'it belongs to no account',
  live_session: 'its claim fences it',
  log_journal: 'record_writer fences it',
  log_page: 'folding: what it writes, any node would',
  migration: 'commands and starts alone write it',
  record_writer: 'it is a fence itself',
  recording: 'it belongs to no account',
  recording_piece: 'it belongs to no account',
  retired_secret_key: 'commands alone write it',
  run_endpoint: 'record_writer fences it, and the front writes it with run alone',
  session: 'it belongs to no account',
  skipped_span: 'record_writer fences it',
  usage: 'record_writer fences it',
  usage_latency: 'record_writer fences it',
};

test('PM4: a node that stood still while another took over writes nothing for an account any more, also over new connections', async (t) => {
  await sql`update cluster_slot set node_no = null`;
  await sql`delete from cluster_node`;
  const membership = new PostgresMembership(sql, systemClock);
  const join = (nodeId: string, port: number) => membership.join({ ...FACTS, nodeId, address: `10.9.9.9:${port}` });
  const nodeId = randomUUID();
  const still = await join(nodeId, 1);
  const other = await join(randomUUID(), 2);
  const own = connect({ ...database.connection, nodeId }, { max: 2, name: 'service', clock: systemClock });
  t.after(() => own.end({ timeout: 0 }));
  const create = (id: string) => own`
    insert into account (account_id, email, plan, client_id, client_secret_sealed)
    values (${id}, ${`${id}@example.org`}, 'free', ${id}, '')`;
  await create('acc_before');

  // It stands still in the middle of a transaction, and would hold up the takeover.
  const waiting = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const open = own.begin(async (transaction) => {
    await transaction`update account set plan = 'custom' where account_id = 'acc_before'`;
    written.resolve();
    await waiting.promise;
  });
  open.catch(() => {});
  await written.promise;
  await sql`update cluster_node set lease_until = clock_timestamp() - interval '1 ms' where node_no = ${still}`;
  assert.equal(await membership.takeOver(still, other), true);
  waiting.resolve();
  await assert.rejects(open);
  await assert.rejects(create('acc_after'), { code: '57P01' });
  const accounts = await sql<{ plan: string }[]>`select plan from account`;
  assert.deepEqual([...accounts], [{ plan: 'free' }]);

  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
  const unfenced: string[] = [];
  for (const { name } of tables) {
    const refused = await own`delete from ${own(name)} where false`.then(
      () => false,
      () => true,
    );
    if (!refused && !name.startsWith('history_')) unfenced.push(name);
  }
  assert.deepEqual(unfenced, Object.keys(UNFENCED));
  // Other programs and other nodes are not meant.
  await sql`update account set plan = 'developer' where account_id = 'acc_before'`;
});

test('PM4: a write that begins while a takeover is under way waits for it, and is refused', async (t) => {
  const nodeId = randomUUID();
  const membership = new PostgresMembership(sql, systemClock);
  const nodeNo = await membership.join({ ...FACTS, nodeId, address: '10.9.9.9:3' });
  const own = connect({ ...database.connection, nodeId }, { max: 1, name: 'service', clock: systemClock });
  t.after(() => own.end({ timeout: 0 }));
  let isRefused = false;
  let writing: Promise<unknown> = Promise.resolve();
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended(${`node ${nodeTag(nodeId).slice(1)}`}, 0))`;
    writing = own`update account set plan = 'custom'`.catch(() => {
      isRefused = true;
    });
    const waits = async (): Promise<boolean> => {
      const rows = await sql`select from pg_stat_activity where wait_event = 'advisory' and query like '%custom%'`;
      return rows.length > 0;
    };
    for (let tries = 0; !(await waits()); tries++) {
      assert.ok(tries < 1_000, 'the write waits for the takeover');
      await systemClock.sleep(5);
    }
    await transaction`update cluster_slot set node_no = null where node_no = ${nodeNo}`;
    await transaction`delete from cluster_node where node_no = ${nodeNo}`;
  });
  await writing;
  assert.equal(isRefused, true);
});

test('HO4: whether a node owns slots is said once a handover whose answer was lost has ended', async () => {
  await sql`update cluster_slot set node_no = null`;
  await sql`delete from cluster_node`;
  const membership = new PostgresMembership(sql, systemClock);
  const join = (port: number) => membership.join({ ...FACTS, nodeId: randomUUID(), address: `10.9.9.8:${port}` });
  const [one, two] = [await join(1), await join(2)];
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const given = sql.begin(async (transaction) => {
    await transaction`update cluster_slot set node_no = ${two} where slot = 7`;
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const owns = membership.owns(one, [6, 7]);
  const isWaiting = async (): Promise<boolean> =>
    (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from cluster_slot%'`)
      .length > 0;
  while (!(await isWaiting())) await systemClock.sleep(5);
  held.resolve();
  await given;
  assert.equal(await owns, false);
});
