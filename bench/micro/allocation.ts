// How many bytes an operation allocates on the heap: what the heap in use grew by over many laps during which nothing
// was collected. Needs a process of its own with ALLOCATION_FLAGS; `floor.bench.ts` has operations whose bytes are
// known.
//
// An object that the optimiser found out not to need is not allocated, here and in the service alike, so the code must
// be compiled before anything is counted. Compiling itself takes memory, too, so the lowest of several counts is the
// answer.

import { setImmediate } from 'node:timers/promises';
import { GCProfiler } from 'node:v8';
import { warmUp, wrongLaps } from './laps.ts';
import type { Allocated, Operation } from './operation.ts';

/**
 * A young generation with room for all that is counted between two collections; and compilation at a fixed moment
 * rather than whenever another thread is done with it, so that all counts of a version agree.
 */
export const ALLOCATION_FLAGS: readonly string[] = [
  '--expose-gc',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
  '--no-concurrent-recompilation',
];

const COUNTS = 3;
/** Of one count; all together stay well below the semi-space. */
const COUNT_BYTES_MAX = 8 * 1024 * 1024;
const COUNT_LAPS_MAX = 8;

/** `ms` is how long it is warmed up. */
export async function allocated(operation: Operation, ms: number): Promise<Allocated> {
  const { name, times, bytes } = operation;
  let wrong = await warmUp(operation, ms);
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('bytes are counted in a process with --expose-gc');
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
    // What was freed before is swept by another thread meanwhile and makes it look less, so the highest count is the
    // answer.
    outside = Math.max(outside, (after.external - before.external) / (laps * times));
    laps = Math.max(1, Math.min(COUNT_LAPS_MAX, Math.floor((COUNT_BYTES_MAX * laps) / grown)));
  }
  if (onHeap === Number.POSITIVE_INFINITY) throw new Error(`${name}: a lap of it makes the garbage collector run`);
  return { what: 'bytes', name, onHeap, outside, promised: bytes ?? null, wrong };
}
