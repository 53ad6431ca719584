// Whether the service could listen now on all of its ports: asked before it makes a database, which takes a while and stays. The
// listeners open last, and say the same of a port that was taken in the meantime.

import { requireFreePort } from '#api/http/uws-server.ts';
import { adminPortError, grpcPortError, peerPortError } from '#engine/base/port-errors.ts';
import type { Config } from './config.ts';
import { whyNotListen } from './tried-port.ts';

type Listeners = Pick<Config, 'host' | 'port' | 'admin' | 'grpc' | 'cluster'>;

/** Rejects as the listener would that could not listen. */
export async function requirePorts({ host, port, admin, grpc, cluster }: Listeners): Promise<void> {
  await requireFreePort(host, port);
  const adminFailure = admin === null ? null : await whyNotListen(admin.host, admin.port);
  if (adminFailure !== null) throw adminPortError(adminFailure);
  const grpcFailure = grpc === null ? null : await whyNotListen(host, grpc.port);
  if (grpcFailure !== null) throw grpcPortError(host, grpc!.port, grpcFailure);
  const peerFailure = cluster === null ? null : await whyNotListen(cluster.host, cluster.port);
  if (peerFailure !== null) throw peerPortError(cluster!.host, cluster!.port, peerFailure);
}
