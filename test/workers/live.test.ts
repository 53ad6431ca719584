// The live thread itself, on a real database.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newMeters } from '#engine/delivery/meter/meters.ts';
import { beginLiveSession } from '#engine/intake/live/postgres-frame-rows.ts';
import { until } from '#test/support/api-harness.ts';
import { temporaryDataDir, withDatabase } from '#test/support/database.ts';
import type { FromLive, ToLive } from '#workers/live-messages.ts';
import type { LiveThreadData } from '#workers/live-thread.ts';
import { startWorker } from '#workers/worker-thread.ts';

const { sql, database } = await withDatabase({ after });

/** A node of the cluster, whose lease holds. */
async function member(): Promise<number> {
  const [row] = await sql<{ nodeNo: number }[]>`
    insert into cluster_node (node_id, address, version, deriver_version, schema_version, lease_until)
    values (gen_random_uuid(), gen_random_uuid()::text, '', 1, 1, now() + interval '1 hour') returning node_no as "nodeNo"`;
  return row!.nodeNo;
}

test('a node that keeps house works and can be stopped while another node still feeds a session of live timing', async (t) => {
  const liveTimingUrl = 'http://127.0.0.1:9/live';
  const head = { sessionId: '2026-monza-race', seriesId: 'f1', origin: liveTimingUrl };
  await beginLiveSession(sql, head, Date.UTC(2026, 8, 6, 13), await member(), 16);
  const nodeNo = await member();
  const settings = {
    dataDir: temporaryDataDir(),
    seriesIds: ['f1'],
    liveTimingUrl,
    liveTimingToken: null,
    nodeNo,
    logLevel: 'silent',
  };
  const data: LiveThreadData = {
    settings,
    connection: database.connection,
    meters: newMeters(1),
    knownMemories: [],
    isKeeper: true,
  };
  const heard: string[] = [];
  const thread = startWorker<ToLive, FromLive>('./live.ts', 'live', data, {
    heard: ({ kind }) => void heard.push(kind),
    died: () => void heard.push('died'),
  });
  t.after(() => thread.end());
  await until(() => heard.includes('ready'));
  thread.post({ kind: 'close' });
  await until(() => heard.includes('closed'));
  assert.deepEqual(
    heard.filter((kind) => kind === 'died'),
    [],
  );
});
