// Runs a scenario with a given driver in a thread of its own: without a correction the driver may throw where no code
// can catch the error, and leave connections that cannot be closed.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';

export interface TrialThreadData {
  /** Of the scenario. */
  readonly title: string;
  /** What to import as the driver. */
  readonly driverUrl: string;
  readonly connection: ConnectionSettings;
  readonly patienceMs: number;
}

/** The longest one takes a second or two on a machine that has nothing else to do. */
const TRIAL_MS = 40_000;

/** Returns the failure, or null. */
export async function faultOf(workerData: TrialThreadData): Promise<string | null> {
  const thread = new Worker(new URL('./driver-trial-thread.ts', import.meta.url), { workerData });
  // A driver without a correction may also throw after the report, while the thread is being ended.
  thread.on('error', () => {});
  try {
    const [fault] = await once(thread, 'message', { signal: AbortSignal.timeout(TRIAL_MS) });
    return fault;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return `the thread ended: ${code}: ${message}`;
  } finally {
    await thread.terminate();
  }
}
