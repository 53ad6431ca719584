// Deliveries as graphile-worker jobs on PostgreSQL, one job each, as a Node team would build it, tuned for speed by its
// own guide: jobs are added, fetched (`localQueue`) and completed many at a time. It keeps no delivery log: a completed
// job is deleted. Producer and worker share a thread, because the engine's figure also includes feeding it.

import { isMainThread, workerData } from 'node:worker_threads';
import { Logger, makeWorkerUtils, run, type TaskList } from 'graphile-worker';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { type Sender, type Sending, serveLoads, startSender } from './sender-thread.ts';
import { ATTEMPTS, jobChunks, UndiciWebhooks, type WebhookJob } from './undici-webhook.ts';

export interface GraphileSettings {
  readonly connection: ConnectionSettings;
  /** Jobs under way at once. */
  readonly concurrency: number;
  /** Jobs in one `addJobs`. */
  readonly chunk: number;
  /** The most undelivered jobs. */
  readonly backlog: number;
  /** Jobs fetched at once. */
  readonly localQueue: number;
  /** How long completed jobs are batched. */
  readonly completeBatchMs: number;
  readonly connections: number;
}

/**
 * The fastest of several settings, which differed little: 50 to 500 jobs at once, chunks and local queues of 200 to
 * 2,000. Completing jobs immediately, or after 250 ms, was slower.
 */
export const GRAPHILE_TUNED: Omit<GraphileSettings, 'connection'> = {
  concurrency: 100,
  chunk: 1_000,
  backlog: 4_000,
  localQueue: 1_000,
  completeBatchMs: 50,
  connections: 64,
};

export function startGraphileWorker(settings: GraphileSettings): Promise<Sender> {
  // Its documented way not to log every success.
  return startSender(import.meta.url, settings, { NO_LOG_SUCCESS: '1' });
}

const POLL_MS = 2;
const POOL_SIZE = 10;

async function serve(settings: GraphileSettings): Promise<void> {
  const { concurrency, chunk, backlog, localQueue, completeBatchMs, connections } = settings;
  const webhooks = new UndiciWebhooks(connections);
  const connectionString = connectionText(settings.connection);
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') process.stderr.write(`graphile-worker: ${message}\n`);
  });
  const taskList: TaskList = { delivery: (payload: unknown) => webhooks.deliver(payload as WebhookJob) };
  const runner = await run({
    taskList,
    preset: {
      worker: {
        connectionString,
        concurrentJobs: concurrency,
        maxPoolSize: POOL_SIZE,
        localQueue: { size: localQueue },
        completeJobBatchDelay: completeBatchMs,
        failJobBatchDelay: completeBatchMs,
        logger,
      },
    },
    noHandleSignals: true,
  });
  const utils = await makeWorkerUtils({ connectionString, logger });
  let delivered = 0;
  let check = (): void => {};
  const count = (): void => {
    delivered++;
    check();
  };
  runner.events.on('job:success', count);
  runner.events.on('job:failed', count);
  const untilDelivered = (number: number): Promise<void> =>
    new Promise((resolve) => {
      check = () => {
        if (delivered >= number) resolve();
      };
      check();
    });
  const untilJobsDeleted = async (): Promise<void> => {
    for (;;) {
      const { rows } = await utils.withPgClient((client) =>
        client.query<{ left: boolean }>(
          'select exists(select from graphile_worker.jobs where attempts < max_attempts) as left',
        ),
      );
      if (!rows[0]!.left) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const send: Sending = async ({ origin, secrets }, bodies) => {
    webhooks.aim(origin, secrets);
    delivered = 0;
    let added = 0;
    for (const jobs of jobChunks(secrets.length, bodies, chunk)) {
      await untilDelivered(added + jobs.length - backlog);
      await utils.addJobs(jobs.map((payload) => ({ identifier: 'delivery', payload, maxAttempts: ATTEMPTS })));
      added += jobs.length;
    }
    await untilDelivered(added);
    await untilJobsDeleted();
  };
  serveLoads(send, async () => {
    await runner.stop();
    await utils.release();
    await webhooks.close();
  });
}

/** A libpq connection string. A folder as the host means the Unix socket in it. */
function connectionText({ host, port, user, password, database }: ConnectionSettings): string {
  const query = new URLSearchParams({ host, port: String(port), user });
  if (password !== null) query.set('password', password);
  return `postgres:///${encodeURIComponent(database)}?${query}`;
}

if (!isMainThread) await serve(workerData as GraphileSettings);
