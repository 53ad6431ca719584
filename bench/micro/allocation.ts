// How many bytes an operation allocates on the heap: the growth of the used heap over many laps without a garbage
// collection. Needs its own process with ALLOCATION_FLAGS. `floor.bench.ts` has operations whose bytes are known.
//
// The optimiser removes allocations of objects that are not needed, here and in the service alike, so the code must be
// compiled before anything is counted. Compiling also takes memory, so the lowest of several counts is the result.

import { setImmediate } from 'node:timers/promises';
import { GCProfiler } from 'node:v8';
import { warmUp, wrongLaps } from './laps.ts';
import type { Allocated, Operation } from './operation.ts';

/**
 * A young generation large enough to count without a collection. And synchronous compilation: background compilation
 * finishes at varying moments, and counts of one version would differ.
 */
export const ALLOCATION_FLAGS: readonly string[] = [
  '--expose-gc',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
  '--no-concurrent-recompilation',
];

const COUNTS = 3;
/** The most bytes of one count. All counts together stay well below the semi-space. */
const COUNT_BYTES_MAX = 8 * 1024 * 1024;
const COUNT_LAPS_MAX = 8;

/** `ms` is how long to warm up. */
export async function allocated(operation: Operation, ms: number): Promise<Allocated> {
  const { name, times, bytes } = operation;
  let wrong = await warmUp(operation, ms);
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('counting bytes needs --expose-gc');
  gc();
  let laps = 1;
  let onHeap = Number.POSITIVE_INFINITY;
  let outside = 0;
  for (let count = 0; count < COUNTS; count++) {
    const profiler = new GCProfiler();
    profiler.start();
    const before = process.memoryUsage();
    wrong += await wrongLaps(operation, laps);
    const after = process.memoryUsage();
    const collected = profiler.stop()!.statistics.length > 0;
    await setImmediate();
    if (collected) continue;
    const grown = after.heapUsed - before.heapUsed;
    onHeap = Math.min(onHeap, grown / (laps * times));
    // Another thread sweeps earlier garbage in the meantime, which lowers the count, so the highest one is the result.
    outside = Math.max(outside, (after.external - before.external) / (laps * times));
    laps = Math.max(1, Math.min(COUNT_LAPS_MAX, Math.floor((COUNT_BYTES_MAX * laps) / grown)));
  }
  if (onHeap === Number.POSITIVE_INFINITY)
    throw new Error(`${name}: every lap triggered the garbage collector, so its bytes cannot be counted`);
  return { what: 'bytes', name, onHeap, outside, promised: bytes ?? null, wrong };
}
