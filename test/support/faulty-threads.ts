// Loaded into a service before anything of its own (`node --import`): on a signal one of its threads hangs for a while or dies.
// A thread can be stopped from outside only with all others, and the service has no way in for that.

import { getEnvironmentData, isMainThread, setEnvironmentData, workerData } from 'node:worker_threads';
import { FAULTS, HANG_MS } from './thread-faults.ts';

const POLL_MS = 10;
const KEY = 'thread trouble';

/** What happens to a thread, by its place in the cells that all threads share. */
const TO_THREADS = { liveHangs: 0, liveDies: 1, operatorsDie: 2 } as const;

function hang(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HANG_MS);
}

if (isMainThread) {
  const cells = new Int32Array(new SharedArrayBuffer(4 * Object.keys(TO_THREADS).length));
  setEnvironmentData(KEY, cells);
  process.on(FAULTS.mainHangs, hang);
  for (const [trouble, place] of Object.entries(TO_THREADS))
    process.on(FAULTS[trouble as keyof typeof TO_THREADS], () => Atomics.store(cells, place, 1));
} else {
  const cells = getEnvironmentData(KEY) as unknown as Int32Array;
  const isLive = workerData !== null && 'knownMemories' in workerData;
  const isOperators = workerData !== null && 'hasTiming' in workerData;
  const isAsked = (trouble: keyof typeof TO_THREADS): boolean => Atomics.exchange(cells, TO_THREADS[trouble], 0) === 1;
  const look = (): void => {
    if (isLive && isAsked('liveHangs')) hang();
    if (isLive && isAsked('liveDies')) process.exit(1);
    if (isOperators && isAsked('operatorsDie')) process.exit(1);
  };
  if (isLive || isOperators) setInterval(look, POLL_MS).unref();
}
