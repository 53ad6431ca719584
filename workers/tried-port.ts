// Whether a port can be listened on, by listening there for a moment.

import { createServer } from 'node:net';

/** Resolves with what listening there fails with, or with null. */
export function whyNotListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
