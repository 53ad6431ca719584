// Laps that are not timed: to warm up, and to count bytes over.

import type { Operation } from './operation.ts';

/** Until loops of thousands of operations are compiled, whatever the time allows. */
const WARM_UP_LAPS_MIN = 12;
const US_PER_MS = 1_000;

/** Does so many laps; answers how many of them gave a wrong answer. */
export async function wrongLaps({ lap, answer }: Operation, laps: number): Promise<number> {
  let wrong = 0;
  for (let i = 0; i < laps; i++) {
    const given = lap();
    // Waiting allocates, so it is left out where there is nothing to wait for.
    if ((typeof given === 'number' ? given : await given) !== answer) wrong++;
  }
  return wrong;
}

/** Laps for `ms` of processor time: on a busy machine the threads that compile have to wait, and get to it. */
export async function warmUp(operation: Operation, ms: number): Promise<number> {
  const start = process.cpuUsage();
  let wrong = 0;
  for (let laps = 0; laps < WARM_UP_LAPS_MIN || usedMs(start) < ms; laps++) wrong += await wrongLaps(operation, 1);
  return wrong;
}

function usedMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / US_PER_MS;
}
