// The bare server of gRPC's streams: node:http2, which the gRPC library is built on. It reads no request.

import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { BareStreamServer } from './bare-stream-server.ts';

export async function serveCalls(host: string): Promise<BareStreamServer> {
  const streams = new Set<ServerHttp2Stream>();
  const server = createServer();
  server.on('session', (session) => session.on('error', () => {}));
  server.on('stream', (stream) => {
    stream.on('error', () => {}).on('close', () => streams.delete(stream));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'slipstream-cursor': '-' });
    streams.add(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const send = (bytes: Uint8Array): void => {
    for (const stream of streams) stream.write(bytes);
  };
  return { port: (server.address() as AddressInfo).port, send };
}
