// The reference: a bare loop over undici's `dispatch` on one thread. It makes the same two signatures as the engine, with
// the engine's signer, and verifies certificates as it does. No delivery log, no retries, no filters.

import { isMainThread, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { authorityCertificate } from '../receivers/localhost-certificate.ts';
import { type Sender, type Sending, serveLoads, startSender } from './sender-thread.ts';
import { dispatchSigned } from './undici-signed-request.ts';

/** Uses this many connections, over TLS if the load's origin says so, with one request at a time on each. */
export function startUndiciLoop(connections: number): Promise<Sender> {
  return startSender(import.meta.url, { connections } satisfies LoopSettings);
}

interface LoopSettings {
  readonly connections: number;
}

function loop({ connections }: LoopSettings): void {
  let pool: Pool | null = null;
  const send: Sending = ({ origin, secrets }, bodies) => {
    pool ??= new Pool(origin, { connections, pipelining: 1, connect: { ca: authorityCertificate() } });
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
  const signers = secrets.map((secret) => new Signer(secret, null));
  const total = bodies.length * secrets.length;
  return new Promise((resolve, reject) => {
    let sent = 0;
    let done = 0;
    const send = (): void => {
      if (sent === total) return;
      const endpoint = sent % secrets.length;
      const body = bodies[Math.floor(sent / secrets.length)]!;
      const signer = signers[endpoint]!;
      const id = `evt_${sent}`;
      sent++;
      dispatchSigned(
        pool,
        { path: `/${endpoint}`, id, body, signer },
        () => {
          done++;
          if (sent < total) setImmediate(send);
          if (done === total) resolve();
        },
        reject,
      );
    };
    for (let i = 0; i < Math.min(connections, total); i++) send();
  });
}

if (!isMainThread) loop(workerData as LoopSettings);
