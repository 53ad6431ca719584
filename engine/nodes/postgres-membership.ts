// Membership in PostgreSQL, the only arbiter. Leases are judged by its clock alone, so the nodes' clocks need not agree.
//
// PM1 A takeover is one transaction: it locks the row of the node, sees by the database's clock that its lease has run out,
//     and holds the row until slots and writers are dealt with. A renewal that comes meanwhile waits, and finds no row.
// PM2 The connections of a node that is taken over end first: a transaction that one of them left open would hold rows that
//     the takeover needs.
// PM3 Nodes join one after the other. The first one of a cluster knows that nobody else is there, because a service alone
//     and a cluster exclude each other (engine/storage/service-lock.ts).
// PM4 A takeover waits for what the node was writing, and the node's later writes wait for the takeover, at a lock of the node's
//     name: then they are refused (schemas/database/, refuse_replaced_node).

import type { Clock } from '#engine/base/clock.ts';
import { NODE_LEASE_MS, NODES_MAX } from '#engine/base/limits.ts';
import { supersedeWriters } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { holdSchema } from '#engine/storage/migrations.ts';
import { APPLICATION_NAME, nodeTag, type Sql, type TransactionSql } from '#engine/storage/postgres-client.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { AddressTaken, type Membership, type NodeFacts, type NodeRecord, type Standing } from './membership.ts';
import { dealtOut, type Owners } from './slots.ts';

/** The number of an advisory lock. Arbitrary, but unique in the database. */
const JOIN_LOCK = 7_305_808_866n;

export class PostgresMembership implements Membership {
  readonly #sql: Sql;
  readonly #clock: Pick<Clock, 'wallMs'>;

  /** `clock`: what the database's is compared with. */
  constructor(sql: Sql, clock: Pick<Clock, 'wallMs'>) {
    this.#sql = sql;
    this.#clock = clock;
  }

  join({ nodeId, address, version, deriverVersion, schemaVersion, keyPrint }: NodeFacts): Promise<number> {
    return this.#sql.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(${JOIN_LOCK})`;
      // A newer node may have migrated since this one looked (older-nodes.ts).
      await holdSchema(transaction, schemaVersion);
      const { nodes, owners } = await standing(transaction);
      if (nodes.length >= NODES_MAX) throw new StorageError(`CLUSTER: it has ${NODES_MAX} nodes already.`);
      const twin = nodes.find((node) => node.address === address && !node.expired);
      if (twin !== undefined) throw new AddressTaken(address);
      const [joined] = await transaction<{ nodeNo: number }[]>`
        insert into cluster_node (node_id, address, version, deriver_version, schema_version, key_print, lease_until)
        values (${nodeId}, ${address}, ${version}, ${deriverVersion}, ${schemaVersion}, ${keyPrint},
          clock_timestamp() + ${NODE_LEASE_MS} * interval '1 ms')
        returning node_no as "nodeNo"`;
      const { nodeNo } = joined!;
      if (nodes.length === 0) {
        await supersedeWriters(transaction, null);
        await setOwners(
          transaction,
          owners.map(() => nodeNo),
        );
      }
      return nodeNo;
    });
  }

  async renew(nodeNo: number): Promise<Standing | null> {
    const renewed = await this.#sql`
      update cluster_node set lease_until = clock_timestamp() + ${NODE_LEASE_MS} * interval '1 ms',
        clock_ahead_ms = ${this.#clock.wallMs()} - extract(epoch from clock_timestamp()) * 1000
      where node_no = ${nodeNo} returning 1`;
    return renewed.length === 0 ? null : standing(this.#sql);
  }

  takeOver(nodeNo: number, by: number): Promise<boolean> {
    return this.#sql.begin(async (transaction) => {
      // In the order of their numbers, so that two that take over from each other's side cannot deadlock.
      const rows = await transaction<{ nodeNo: number; nodeId: string; expired: boolean }[]>`
        select node_no as "nodeNo", node_id as "nodeId", lease_until < clock_timestamp() as expired
        from cluster_node where node_no in (${nodeNo}, ${by}) order by node_no for update`;
      const taken = rows.find((row) => row.nodeNo === nodeNo);
      const taker = rows.find((row) => row.nodeNo === by);
      if (taken === undefined || taker === undefined || !taken.expired || taker.expired) return false;
      await removeDead(transaction, taken);
      return true;
    });
  }

  give(slots: readonly number[], from: number, to: number): Promise<boolean> {
    const giving = this.#sql.begin(async (transaction) => {
      const live = await transaction`
        select from cluster_node where node_no = ${to} and lease_until > clock_timestamp() for share`;
      if (live.length === 0) return false;
      const given = await transaction`
        update cluster_slot set node_no = ${to}, epoch = epoch + 1
        where slot = any(${`{${slots.join(',')}}`}::text::smallint[]) and node_no = ${from} returning 1`;
      if (given.length < slots.length) throw new NotAllOurs();
      return true;
    });
    return giving.catch((error) => {
      if (error instanceof NotAllOurs) return false;
      throw error;
    });
  }

  async owns(nodeNo: number, slots: readonly number[]): Promise<boolean> {
    // The lock waits for a transaction whose client has lost its answer.
    const owned = await this.#sql`
      select from cluster_slot
      where slot = any(${`{${slots.join(',')}}`}::text::smallint[]) and node_no = ${nodeNo} for share`;
    return owned.length === slots.length;
  }

  async leave(nodeNo: number): Promise<void> {
    await this.#sql.begin(async (transaction) => {
      const [row] = await transaction<{ nodeId: string }[]>`
        select node_id as "nodeId" from cluster_node where node_no = ${nodeNo} for update`;
      if (row !== undefined) await remove(transaction, nodeNo, row.nodeId);
    });
  }
}

/** Ends what a node whose lease has run out still does, and removes it. Its row is locked. */
export async function removeDead(
  sql: TransactionSql,
  { nodeNo, nodeId }: Pick<NodeRecord, 'nodeNo' | 'nodeId'>,
): Promise<void> {
  await endConnections(sql, nodeId);
  await closeWrites(sql, nodeId);
  await remove(sql, nodeNo, nodeId);
}

/** A service alone has begun: whatever cluster there was is over. */
export async function endCluster(sql: TransactionSql): Promise<void> {
  await sql`update cluster_slot set node_no = null, epoch = epoch + 1 where node_no is not null`;
  await sql`delete from cluster_node`;
}

/** Takes the transaction back. */
class NotAllOurs extends Error {}

/** What is known of the cluster, for those that do not belong to it. */
export async function standing(sql: Sql | TransactionSql): Promise<Standing> {
  const [row] = await sql<{ nodes: readonly NodeRow[] | null; owners: Owners; epochs: readonly number[] }[]>`
    select
      (select json_agg(json_build_object(
        'nodeNo', node_no, 'nodeId', node_id, 'address', address, 'version', version, 'deriverVersion', deriver_version,
        'schemaVersion', schema_version,
        'leaseLeftMs', extract(epoch from lease_until - clock_timestamp()) * 1000,
        'keyPrint', encode(key_print, 'hex'), 'clockAheadMs', clock_ahead_ms,
        'joinedMs', extract(epoch from joined_at) * 1000
      ) order by node_no) from cluster_node) as nodes,
      (select array_agg(coalesce(node_no, 0) order by slot) from cluster_slot) as owners,
      (select array_agg(epoch order by slot) from cluster_slot) as epochs`;
  const { nodes, owners, epochs } = row!;
  return {
    nodes: (nodes ?? []).map(({ joinedMs, keyPrint, ...node }) => ({
      ...node,
      keyPrint: new Uint8Array(Buffer.from(keyPrint, 'hex')),
      expired: node.leaseLeftMs < 0,
      joinedAt: new Date(joinedMs),
    })),
    owners,
    epochs,
  };
}

interface NodeRow extends Omit<NodeRecord, 'expired' | 'joinedAt' | 'keyPrint'> {
  readonly joinedMs: number;
  readonly keyPrint: string;
}

async function setOwners(sql: TransactionSql, owners: Owners): Promise<void> {
  await sql`
    update cluster_slot set node_no = nullif(dealt.node_no, 0), epoch = epoch + 1
    from unnest(${`{${owners.join(',')}}`}::text::integer[]) with ordinality as dealt (node_no, place)
    where slot = place - 1 and cluster_slot.node_no is distinct from nullif(dealt.node_no, 0)`;
}

/** Deals out the slots of a node, fences off its writers, and removes it. */
async function remove(sql: TransactionSql, nodeNo: number, nodeId: string): Promise<void> {
  await supersedeWriters(sql, nodeId);
  // Locked, so that the owners that are read cannot change before they are written.
  const slots = await sql<{ owner: number }[]>`
    select coalesce(node_no, 0) as owner from cluster_slot order by slot for update`;
  const live = await sql<{ nodeNo: number }[]>`
    select node_no as "nodeNo" from cluster_node where node_no <> ${nodeNo} and lease_until >= clock_timestamp()`;
  const owners = slots.map(({ owner }) => owner);
  await setOwners(
    sql,
    dealtOut(
      owners,
      nodeNo,
      live.map((node) => node.nodeNo),
    ),
  );
  await sql`delete from cluster_node where node_no = ${nodeNo}`;
}

/** PM4. Its connections have ended, so nothing of it holds the lock for long. */
async function closeWrites(sql: TransactionSql, nodeId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`node ${nodeTag(nodeId).slice(1)}`}, 0))`;
}

/** PM2 */
async function endConnections(sql: TransactionSql, nodeId: string): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
      and application_name like ${`${APPLICATION_NAME} %${nodeTag(nodeId)}`}`;
}
