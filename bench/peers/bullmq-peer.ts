// The peer: deliveries as jobs of BullMQ on Redis, one job each, as a Node team would build it and tuned for speed: jobs are
// added in bulk, the worker runs many at once, a finished job is removed at once. It keeps no delivery log. Producer and
// worker share a thread, as the engine is measured with its feeding.

import { isMainThread, workerData } from 'node:worker_threads';
import { type Job, Queue, Worker } from 'bullmq';
import { type Sender, type Sending, serveLoads, startSender } from './sender-thread.ts';
import { ATTEMPTS, jobChunks, UndiciWebhooks, type WebhookJob } from './undici-webhook.ts';

export interface BullmqSettings {
  /** Path of Redis's Unix socket. */
  readonly socket: string;
  /** Jobs under way at once. */
  readonly concurrency: number;
  /** Jobs in one `addBulk`. */
  readonly chunk: number;
  /** Jobs added and not settled, at most: more make Redis slower and nothing faster. */
  readonly backlog: number;
  readonly connections: number;
}

/** The fastest of several, which differed little: 50 to 500 under way at once, chunks of 200 to 2,000. */
export const BULLMQ_TUNED: Omit<BullmqSettings, 'socket'> = {
  concurrency: 200,
  chunk: 500,
  backlog: 2_000,
  connections: 64,
};

export function startBullmq(settings: BullmqSettings): Promise<Sender> {
  return startSender(import.meta.url, settings);
}

const QUEUE = 'deliveries';

function serve({ socket, concurrency, chunk, backlog, connections }: BullmqSettings): void {
  const connection = { path: socket, maxRetriesPerRequest: null };
  const webhooks = new UndiciWebhooks(connections);
  const queue = new Queue<WebhookJob>(QUEUE, {
    connection,
    defaultJobOptions: {
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: 1_000 },
      removeOnComplete: true,
      removeOnFail: true,
    },
  });
  const worker = new Worker<WebhookJob>(QUEUE, (job: Job<WebhookJob>) => webhooks.deliver(job.data), {
    connection,
    concurrency,
  });
  let settled = 0;
  let look = (): void => {};
  worker.on('completed', () => {
    settled++;
    look();
  });
  worker.on('failed', (job) => {
    if (job !== undefined && job.attemptsMade < ATTEMPTS) return;
    settled++;
    look();
  });
  // Ends the thread, and the bench says why; thrown at once it would be caught and printed by BullMQ, which goes on.
  const fail = (error: Error): void =>
    queueMicrotask(() => {
      throw error;
    });
  worker.on('error', fail);
  queue.on('error', fail);
  const settledAre = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (settled >= count) resolve();
      };
      look();
    });
  const send: Sending = async ({ origin, secrets }, bodies) => {
    webhooks.aim(origin, secrets);
    settled = 0;
    let added = 0;
    for (const jobs of jobChunks(secrets.length, bodies, chunk)) {
      await settledAre(added + jobs.length - backlog);
      await queue.addBulk(jobs.map((data) => ({ name: 'delivery', data })));
      added += jobs.length;
    }
    await settledAre(added);
  };
  serveLoads(send, async () => {
    await worker.close();
    await queue.close();
    await webhooks.close();
  });
}

if (!isMainThread) serve(workerData as BullmqSettings);
