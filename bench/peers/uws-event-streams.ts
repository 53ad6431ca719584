// The bare server of server-sent events, over uWebSockets.js.

import { App, us_socket_local_port } from 'uWebSockets.js';
import { assert } from '#engine/base/assert.ts';
import type { BareStreamServer } from './bare-stream-server.ts';

export function serveEvents(host: string): Promise<BareStreamServer> {
  const writes = new Set<(bytes: Uint8Array) => void>();
  const send = (bytes: Uint8Array): void => {
    for (const write of writes) write(bytes);
  };
  return new Promise((resolve) => {
    App()
      .get('/*', (response) => {
        const write = (bytes: Uint8Array): void => {
          response.cork(() => response.write(bytes));
        };
        response.writeHeader('content-type', 'text/event-stream');
        write(Buffer.from(': open\n\n'));
        writes.add(write);
        response.onAborted(() => writes.delete(write));
      })
      .listen(host, 0, (socket) => {
        assert(socket !== false, 'a free port');
        resolve({ port: us_socket_local_port(socket as Parameters<typeof us_socket_local_port>[0]), send });
      });
  });
}
