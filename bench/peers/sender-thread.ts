// A sender of its own worker thread, as a shard is one: what the engine is measured beside. It stays from round to round, so
// that its code is compiled and its connections are made when it is measured, as those of a shard are.

import { parentPort, Worker } from 'node:worker_threads';
import type { SyntheticArtifact } from '#bench/engines/synthetic-timeline.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';

/** Every update of the timeline goes once to `origin`/<index> of every secret, signed with it. */
export interface Load {
  readonly origin: string;
  readonly secrets: readonly string[];
  readonly artifact: SyntheticArtifact;
}

export interface Sent {
  /** From the first one handed over until the last one is settled. */
  readonly seconds: number;
  /** CPU of the whole sending process in that time, all threads, microseconds. */
  readonly cpuUs: number;
}

export interface Sender {
  send(load: Load): Promise<Sent>;
  end(): Promise<void>;
}

/** What a sender's thread does with a load whose bodies it can read; resolves when the last one is settled. */
export type Sending = (load: Omit<Load, 'artifact'>, bodies: readonly Uint8Array[]) => Promise<void>;

type ToThread = { readonly kind: 'send'; readonly load: Load } | { readonly kind: 'end' };
type FromThread = { readonly kind: 'ready' | 'ended' } | ({ readonly kind: 'sent' } & Sent);

/** Starts the module as a thread with these settings; resolves when it serves loads (`serveLoads`). */
export async function startSender(
  module: string,
  settings: unknown,
  env: Readonly<Record<string, string>> = {},
): Promise<Sender> {
  const worker = new Worker(new URL(module), { workerData: settings, env: { ...process.env, ...env } });
  const failed = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the sender ${module} ended by itself with code ${code}`)));
  });
  failed.catch(() => {});
  const heard = async (): Promise<FromThread> =>
    Promise.race([new Promise<FromThread>((resolve) => void worker.once('message', resolve)), failed]);
  const ask = (message: ToThread): Promise<FromThread> => {
    const answer = heard();
    worker.postMessage(message);
    return answer;
  };
  await heard();
  return {
    async send(load) {
      const answer = await ask({ kind: 'send', load });
      if (answer.kind !== 'sent') throw new Error(`the sender ${module} answered "${answer.kind}" to a load`);
      return answer;
    },
    async end() {
      // One that failed has told so to whoever waited for its load.
      await ask({ kind: 'end' }).catch(() => {});
      await worker.terminate();
    },
  };
}

/** The thread's side. An error ends the thread and reaches whoever waits for the load. */
export function serveLoads(send: Sending, end: () => Promise<void>): void {
  const answer = (message: FromThread): void => parentPort!.postMessage(message);
  parentPort!.on('message', async (message: ToThread) => {
    if (message.kind === 'end') {
      await end();
      answer({ kind: 'ended' });
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
    answer({ kind: 'sent', seconds, cpuUs: user + system });
  });
  answer({ kind: 'ready' });
}
