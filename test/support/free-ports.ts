// Free local ports, for programs that need a given port. Systems take those of outgoing connections from 32768 on: one of
// them could be in use again before its program listens. So these are lower.

import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

const LOWEST = 12_000;
const HIGHEST = 32_000;
const TRIES_MAX = 100;

/** `count` different ports. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listening(TRIES_MAX)));
  return Promise.all(servers.map(closed));
}

async function listening(triesLeft: number): Promise<Server> {
  const port = randomInt(LOWEST, HIGHEST);
  try {
    return await new Promise<Server>((resolve, reject) => {
      const server = createServer().once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  } catch (error) {
    if (triesLeft === 1) throw error;
    return listening(triesLeft - 1);
  }
}

function closed(server: Server): Promise<number> {
  const { port } = server.address() as { port: number };
  return new Promise((resolve) => server.close(() => resolve(port)));
}
