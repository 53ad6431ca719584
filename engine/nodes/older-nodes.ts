// Migrations while nodes of a cluster run: one that expands is applied under older nodes, one that contracts is not
// (engine/storage/migrations.ts says which is which).
//
// ON1 No migration is applied while a node whose code does not work with it has a lease.
// ON2 Nor can such a node come back: one whose lease has run out is removed first, as in a takeover, and one that joins
//     waits for the migration and then sees it (holdSchema).
// ON3 What nodes need is not held up for long: a migration that does not get a table soon lets go of what it has.

import { MIGRATION_TABLE_MS_MAX } from '#engine/base/limits.ts';
import { type Migration, type MigrationGuard, MigrationRefused } from '#engine/storage/migrations.ts';
import type { TransactionSql } from '#engine/storage/postgres-client.ts';
import type { NodeFacts, NodeRecord } from './membership.ts';
import { removeDead } from './postgres-membership.ts';

type OlderNode = Pick<NodeFacts, 'address' | 'version' | 'schemaVersion'> &
  Pick<NodeRecord, 'nodeNo' | 'nodeId' | 'expired'>;

/** For a node that starts. It shares the lock of the database, so no service alone runs. */
export const refuseUnderOlderNodes: MigrationGuard = async (transaction, pending) => {
  // ON3
  await transaction`select set_config('lock_timeout', ${String(MIGRATION_TABLE_MS_MAX)}, true)`;
  const older = await olderNodes(transaction, Math.max(...pending.map(({ worksSince }) => worksSince)));
  const live = older.filter(({ expired }) => !expired);
  if (live.length > 0) throw new MigrationRefused(refusal(live, pending));
  for (const node of older) await removeDead(transaction, node);
};

/** Locks their rows, so that none renews its lease before the transaction ends. */
async function olderNodes(transaction: TransactionSql, schemaVersion: number): Promise<readonly OlderNode[]> {
  const [found] = await transaction<{ present: boolean }[]>`select to_regclass('cluster_node') is not null as present`;
  if (!found!.present) return [];
  // The row as a whole: an older database has no such column.
  const known = transaction`coalesce((to_jsonb(cluster_node) ->> 'schema_version')::int, 0)`;
  return transaction<OlderNode[]>`
    select node_no as "nodeNo", node_id as "nodeId", address, version, lease_until < clock_timestamp() as expired,
      ${known} as "schemaVersion"
    from cluster_node where ${known} < ${schemaVersion} order by node_no for update`;
}

function refusal(nodes: readonly OlderNode[], pending: readonly Migration[]): string {
  const oldest = Math.min(...nodes.map(({ schemaVersion }) => schemaVersion));
  const { number, name } = pending.find(({ worksSince }) => worksSince > oldest)!;
  const named = nodes.map(({ nodeNo, address, version }) => `node ${nodeNo} at ${address} (version ${version})`);
  return (
    `CLUSTER: this version would migrate the database from ${pending[0]!.number - 1} to ${pending.at(-1)!.number}, and the ` +
    `code of nodes that run does not work with migration ${number} ("${name}"): ${named.join(', ')}. Stop these nodes, ` +
    'then start this one again. Nothing was changed.'
  );
}
