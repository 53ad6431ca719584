// Loaded into a service before its own code (`node --import`): on a signal one of its threads hangs for a while or
// dies. From outside, a thread can only be stopped together with all others.

import { getEnvironmentData, isMainThread, setEnvironmentData, workerData } from 'node:worker_threads';
import { FAULTS, HANG_MS } from './thread-faults.ts';

const POLL_MS = 10;
const KEY = 'thread faults';

/** Faults and their places in the cells that all threads share. */
const THREAD_FAULTS = { liveHangs: 0, liveDies: 1, operatorsDie: 2, grpcDies: 3 } as const;

function hang(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HANG_MS);
}

if (isMainThread) {
  const cells = new Int32Array(new SharedArrayBuffer(4 * Object.keys(THREAD_FAULTS).length));
  setEnvironmentData(KEY, cells);
  process.on(FAULTS.mainHangs, hang);
  for (const [fault, place] of Object.entries(THREAD_FAULTS))
    process.on(FAULTS[fault as keyof typeof THREAD_FAULTS], () => Atomics.store(cells, place, 1));
} else {
  const cells = getEnvironmentData(KEY) as unknown as Int32Array;
  const isOurs = typeof workerData === 'object' && workerData !== null;
  const isLive = isOurs && 'knownMemories' in workerData;
  const isOperators = isOurs && 'hasTiming' in workerData;
  const isGrpc = isOurs && 'tls' in workerData;
  const isRequested = (fault: keyof typeof THREAD_FAULTS): boolean =>
    Atomics.exchange(cells, THREAD_FAULTS[fault], 0) === 1;
  const look = (): void => {
    if (isLive && isRequested('liveHangs')) hang();
    if (isLive && isRequested('liveDies')) process.exit(1);
    if (isOperators && isRequested('operatorsDie')) process.exit(1);
    if (isGrpc && isRequested('grpcDies')) process.exit(1);
  };
  if (isLive || isOperators || isGrpc) setInterval(look, POLL_MS).unref();
}
