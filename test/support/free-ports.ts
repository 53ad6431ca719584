// Free local ports, for programs that need a given port.

import { createServer, type Server } from 'node:net';

/** `count` different ports. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listening));
  return Promise.all(servers.map(closed));
}

function listening(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function closed(server: Server): Promise<number> {
  const { port } = server.address() as { port: number };
  return new Promise((resolve) => server.close(() => resolve(port)));
}
