// A sender in its own worker thread, like a shard: what the engine is compared with. It lives for all rounds, so like a
// shard it is measured with compiled code and open connections.

import { parentPort, Worker } from 'node:worker_threads';
import type { SyntheticArtifact } from '#bench/engines/synthetic-timeline.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';

/** Every update of the timeline goes once to `origin`/<index> for each secret, signed with that secret. */
export interface Load {
  readonly origin: string;
  readonly secrets: readonly string[];
  readonly artifact: SyntheticArtifact;
}

export interface Sent {
  /** From the start until the last delivery is settled. */
  readonly seconds: number;
  /** CPU of the whole sending process during that time, all threads, microseconds. */
  readonly cpuUs: number;
}

export interface Sender {
  send(load: Load): Promise<Sent>;
  end(): Promise<void>;
}

/** The function by which a thread sends a load. Resolves when the last delivery is settled. */
export type Sending = (load: Omit<Load, 'artifact'>, bodies: readonly Uint8Array[]) => Promise<void>;

type ToThread = { readonly kind: 'send'; readonly load: Load } | { readonly kind: 'end' };
type FromThread = { readonly kind: 'ready' | 'ended' } | ({ readonly kind: 'sent' } & Sent);

/** Starts the module as a thread with these settings. Resolves when it accepts loads (`serveLoads`). */
export async function startSender(
  module: string,
  settings: unknown,
  env: Readonly<Record<string, string>> = {},
): Promise<Sender> {
  const worker = new Worker(new URL(module), { workerData: settings, env: { ...process.env, ...env } });
  const failed = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the sender ${module} exited unexpectedly with code ${code}`)));
  });
  failed.catch(() => {});
  const nextMessage = async (): Promise<FromThread> =>
    Promise.race([new Promise<FromThread>((resolve) => void worker.once('message', resolve)), failed]);
  const ask = (message: ToThread): Promise<FromThread> => {
    const reply = nextMessage();
    worker.postMessage(message);
    return reply;
  };
  await nextMessage();
  return {
    async send(load) {
      const reply = await ask({ kind: 'send', load });
      if (reply.kind !== 'sent') throw new Error(`the sender ${module} replied "${reply.kind}" to a load`);
      return reply;
    },
    async end() {
      // A failure was already reported to the caller of `send`.
      await ask({ kind: 'end' }).catch(() => {});
      await worker.terminate();
    },
  };
}

/** The thread's side. An error ends the thread and rejects the pending `send`. */
export function serveLoads(send: Sending, end: () => Promise<void>): void {
  const reply = (message: FromThread): void => parentPort!.postMessage(message);
  parentPort!.on('message', async (message: ToThread) => {
    if (message.kind === 'end') {
      await end();
      reply({ kind: 'ended' });
      return;
    }
    const { artifact, ...load } = message.load;
    const timeline = openArtifact(artifact.bytes);
    const bodies = Array.from({ length: timeline.length }, (_, position) => timeline.body(position));
    const cpu = process.cpuUsage();
    const startedMs = performance.now();
    await send(load, bodies);
    const seconds = (performance.now() - startedMs) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    reply({ kind: 'sent', seconds, cpuUs: user + system });
  });
  reply({ kind: 'ready' });
}
