// A network that breaks connections: it passes bytes on and cuts each connection after so many of the answer, a few times.

import { type AddressInfo, connect, createServer } from 'node:net';
import type { TestContext } from 'node:test';

export interface BreakingProxy {
  /** As of the service behind it. */
  readonly baseUrl: string;
  /** How many connections it has cut. */
  readonly cuts: () => number;
}

/** `cutAfter`: the bytes of the answer after which each connection that sends as many is cut, one after the other. */
export async function breakingProxy(
  t: TestContext,
  baseUrl: string,
  cutAfter: readonly number[],
): Promise<BreakingProxy> {
  let cuts = 0;
  const target = new URL(baseUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let bytes = 0;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      const left = (cutAfter[cuts] ?? Number.POSITIVE_INFINITY) - bytes;
      bytes += chunk.length;
      if (chunk.length <= left) {
        if (!client.write(chunk)) {
          upstream.pause();
          client.once('drain', () => upstream.resume());
        }
        return;
      }
      cuts++;
      upstream.removeAllListeners('data').destroy();
      client.end(chunk.subarray(0, left));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}${target.pathname}`, cuts: () => cuts };
}
