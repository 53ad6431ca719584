// Deliveries as BullMQ jobs on Redis, one job each, as a Node team would build it, tuned for speed: jobs are added in
// bulk, the worker runs many at once, and finished jobs are removed at once. It keeps no delivery log. Producer and
// worker share a thread, because the engine's figure also includes feeding it.

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
  /** The most unsettled jobs: more would only slow Redis down. */
  readonly backlog: number;
  readonly connections: number;
}

/** The fastest of several settings, which differed little: 50 to 500 jobs at once, chunks of 200 to 2,000. */
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
  let check = (): void => {};
  worker.on('completed', () => {
    settled++;
    check();
  });
  worker.on('failed', (job) => {
    if (job !== undefined && job.attemptsMade < ATTEMPTS) return;
    settled++;
    check();
  });
  // Ends the thread, and the bench reports why. Thrown directly, BullMQ would catch and print it, and continue.
  const fail = (error: Error): void =>
    queueMicrotask(() => {
      throw error;
    });
  worker.on('error', fail);
  queue.on('error', fail);
  const untilSettled = (count: number): Promise<void> =>
    new Promise((resolve) => {
      check = () => {
        if (settled >= count) resolve();
      };
      check();
    });
  const send: Sending = async ({ origin, secrets }, bodies) => {
    webhooks.aim(origin, secrets);
    settled = 0;
    let added = 0;
    for (const jobs of jobChunks(secrets.length, bodies, chunk)) {
      await untilSettled(added + jobs.length - backlog);
      await queue.addBulk(jobs.map((data) => ({ name: 'delivery', data })));
      added += jobs.length;
    }
    await untilSettled(added);
  };
  serveLoads(send, async () => {
    await worker.close();
    await queue.close();
    await webhooks.close();
  });
}

if (!isMainThread) serve(workerData as BullmqSettings);
