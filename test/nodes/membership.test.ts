import { after } from 'node:test';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { PostgresMembership } from '#engine/nodes/postgres-membership.ts';
import { membershipConformance } from '#test/conformance/membership.ts';
import { withDatabase } from '#test/support/database.ts';
import { MemoryMembership } from '#test/support/memory-membership.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const { sql } = await withDatabase({ after });
const writers = new PostgresRecordStore(sql);

membershipConformance('in PostgreSQL', async () => {
  await sql`update cluster_slot set node_no = null`;
  await sql`delete from cluster_node`;
  return {
    membership: new PostgresMembership(sql),
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
