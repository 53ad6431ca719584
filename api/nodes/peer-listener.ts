// The inner listener of a node: other nodes of its cluster, and nobody else, pass requests on to it.

import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from '#api/http/dispatcher.ts';
import {
  CLOSE_DEADLINE_MS,
  NODES_MAX,
  PEER_CONNECTIONS_MAX,
  REQUEST_DEADLINE_MS,
  STREAMS_MAX,
} from '#engine/base/limits.ts';
import { peerPortError } from '#engine/base/port-errors.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { PeerExchange } from './peer-exchange.ts';
import { metKey, PEER_TLS } from './peer-secrets.ts';

export interface PeerListening {
  readonly port: number;
  /** Stops accepting connections, waits a bounded time for requests in progress, then cuts the rest. */
  close(): Promise<void>;
}

/** Starts to listen. Rejects if it cannot. */
export function listenForPeers(
  dispatcher: Dispatcher,
  secretBox: SecretBox,
  host: string,
  port: number,
): Promise<PeerListening> {
  const server = createServer(
    {
      ...PEER_TLS,
      // The name of a key is no secret; without the key itself the handshake fails.
      pskCallback: (_socket, keyId) => metKey(secretBox, keyId) as Buffer | null,
      requestTimeout: REQUEST_DEADLINE_MS,
    },
    (request, response) => dispatcher.serve(new PeerExchange(request, response)),
  );
  server.maxConnections = NODES_MAX * PEER_CONNECTIONS_MAX + STREAMS_MAX;
  return new Promise((resolve, reject) => {
    // Once it listens, an error is that of a connection that could not be accepted.
    server.on('error', (error: NodeJS.ErrnoException) => {
      reject(peerPortError(host, port, error));
    });
    server.listen(port, host, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        async close() {
          const closed = new Promise<void>((done) => server.close(() => done()));
          server.closeIdleConnections();
          await Promise.race([closed, pause(CLOSE_DEADLINE_MS, undefined, { ref: false })]);
          server.closeAllConnections();
          await closed;
        },
      });
    });
  });
}
