// The reference: what a bare loop over undici's `dispatch` with an HMAC for each body reaches on one thread. No log, no
// retries, no filters; it runs on a worker thread, as a shard does.

import { createHmac, createSecretKey } from 'node:crypto';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

interface LoopData {
  readonly origin: string;
  readonly secrets: readonly string[];
  readonly updates: number;
  readonly bodyBytes: number;
  readonly connections: number;
}

/** Sends `updates` to every endpoint and answers the seconds that it took. */
export function runUndiciLoop(data: LoopData): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function loop({ origin, secrets, updates, bodyBytes, connections }: LoopData): Promise<number> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  const padding = 'x'.repeat(Math.max(0, bodyBytes - 40));
  const bodies = Array.from({ length: updates }, (_, index) =>
    Buffer.from(`{"sequence":${index + 1},"padding":"${padding}"}`),
  );
  const total = updates * secrets.length;
  const started = performance.now();
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
          onResponseStart() {},
          onResponseData() {},
          onResponseEnd() {
            done++;
            if (sent < total) setImmediate(send);
            if (done === total) pool.close().then(() => resolve((performance.now() - started) / 1000), reject);
          },
          onResponseError: (_controller, error) => reject(error),
        },
      );
    };
    for (let i = 0; i < Math.min(connections, total); i++) send();
  });
}

if (parentPort !== null) parentPort.postMessage(await loop(workerData as LoopData));
