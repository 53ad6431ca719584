// The gRPC thread: the gRPC listener and its streams. It has no connection to the database: the main thread decides.

import { parentPort, workerData } from 'node:worker_threads';
import type { FromGrpc, ToGrpc } from '#api/grpc/grpc-messages.ts';
import { type GrpcListener, listenForGrpc } from '#api/grpc/grpc-server.ts';
import { ClientAddress, limitGroup } from '#api/http/client-address.ts';
import { assert } from '#engine/base/assert.ts';
import { holdThread, systemClock } from '#engine/base/clock.ts';
import { ShardsActivity } from '#engine/delivery/meter/delivery-activity.ts';
import { StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import type { GrpcThreadData } from './grpc-thread.ts';
import { watchThread } from './thread-watch.ts';
import { watchLiveTimeline } from './watch-live-timeline.ts';

const thread = parentPort;
assert(thread !== null, 'gRPC is served on a worker thread');
const post = (message: FromGrpc): void => thread.postMessage(message);
const { host, port, tls, trustProxy, meters } = workerData as GrpcThreadData;
assert(meters.grpc !== null, 'the thread has a meter');
watchThread(new ThreadMeter(new Float64Array(meters.grpc)));

const proxies = new ClientAddress(trustProxy);
let listener: GrpcListener | null = null;
thread.on('message', async (message: ToGrpc) => {
  if (message.kind !== 'close') {
    listener?.receive(message);
    return;
  }
  await listener?.close();
  post({ kind: 'closed' });
});

listener = await listenForGrpc({
  host,
  port,
  tls,
  post,
  groupOf: (address) => (proxies.trusts(address) ? null : limitGroup(address)),
  clock: systemClock,
  meter: StreamMeter.restarted(meters.streams.grpc),
  watch: watchLiveTimeline,
  later: setImmediate,
  hold: holdThread,
  deliveries: new ShardsActivity(meters.shards),
});
post({ kind: 'ready', port: listener.port });
