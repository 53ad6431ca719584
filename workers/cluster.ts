// The thread that keeps a node's lease, over a connection of its own: whatever the other threads do, it renews in time.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '#engine/base/assert.ts';
import { systemClock } from '#engine/base/clock.ts';
import { Lease } from '#engine/base/lease.ts';
import { DATABASE_QUICK_END_S, NODE_RECONNECT_MS_MAX, NODE_SILENCE_MS_MAX } from '#engine/base/limits.ts';
import { Member } from '#engine/nodes/member.ts';
import { PostgresMembership } from '#engine/nodes/postgres-membership.ts';
import { connect } from '#engine/storage/postgres-client.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import type { FromCluster } from './cluster-messages.ts';
import type { ClusterThreadData } from './cluster-thread.ts';
import { createLog } from './log.ts';

const port = parentPort;
assert(port !== null, 'the lease is kept on a worker thread');
const post = (message: FromCluster): void => port.postMessage(message);
const { nodeNo, connection, lease, logLevel } = workerData as ClusterThreadData;
const log = createLog(logLevel, { thread: 'cluster' });
const sql = connect(connection, {
  max: 1,
  name: 'slipstream-lease',
  clock: systemClock,
  silenceMsMax: NODE_SILENCE_MS_MAX,
  reconnectMsMax: NODE_RECONNECT_MS_MAX,
});

let isFailing = false;
const member = new Member({
  nodeNo,
  membership: new PostgresMembership(sql, systemClock),
  lease: new Lease(lease),
  clock: systemClock,
  stands(standing) {
    if (isFailing) log.info({}, 'the database renews the lease of this node again');
    isFailing = false;
    post({ kind: 'standing', standing });
  },
  tookOver: (node) => post({ kind: 'took-over', node }),
  replaced: () => post({ kind: 'replaced' }),
  failed(error) {
    if (!isFailing)
      log.warn(
        { error: errorText(error) },
        'the database does not renew the lease of this node; without it, nothing is delivered. It is asked again',
      );
    isFailing = true;
  },
});

port.on('message', async () => {
  await member.close();
  await sql.end({ timeout: DATABASE_QUICK_END_S });
  post({ kind: 'closed' });
});

await member.renew();
post({ kind: 'ready' });
