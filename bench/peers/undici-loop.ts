// The reference: a bare loop over undici's `dispatch` on one thread, with an HMAC for each body. No delivery log, no
// retries, no filters.

import { createHmac, createSecretKey } from 'node:crypto';
import { isMainThread, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { type Sender, type Sending, serveLoads, startSender } from './sender-thread.ts';

/** Uses this many connections, with one request at a time on each. */
export function startUndiciLoop(connections: number): Promise<Sender> {
  return startSender(import.meta.url, { connections } satisfies LoopSettings);
}

interface LoopSettings {
  readonly connections: number;
}

function loop({ connections }: LoopSettings): void {
  let pool: Pool | null = null;
  const send: Sending = ({ origin, secrets }, bodies) => {
    pool ??= new Pool(origin, { connections, pipelining: 1 });
    return sendAll(pool, connections, secrets, bodies);
  };
  serveLoads(send, async () => pool?.close());
}

function sendAll(
  pool: Pool,
  connections: number,
  secrets: readonly string[],
  bodies: readonly Uint8Array[],
): Promise<void> {
  const keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  const total = bodies.length * secrets.length;
  return new Promise((resolve, reject) => {
    let sent = 0;
    let done = 0;
    const send = (): void => {
      if (sent === total) return;
      const endpoint = sent % secrets.length;
      const body = bodies[Math.floor(sent / secrets.length)]!;
      sent++;
      const signature = createHmac('sha256', keys[endpoint]!).update(body).digest('hex');
      pool.dispatch(
        {
          path: `/${endpoint}`,
          method: 'POST',
          headers: ['content-type', 'application/json', 'X-Service-Signature', `sha256=${signature}`],
          body,
        },
        {
          onRequestStart() {},
          onResponseStart(_controller, statusCode) {
            if (statusCode !== 200) reject(new Error(`the receiver answered ${statusCode}`));
          },
          onResponseData() {},
          onResponseEnd() {
            done++;
            if (sent < total) setImmediate(send);
            if (done === total) resolve();
          },
          onResponseError: (_controller, error) => reject(error),
        },
      );
    };
    for (let i = 0; i < Math.min(connections, total); i++) send();
  });
}

if (!isMainThread) loop(workerData as LoopSettings);
