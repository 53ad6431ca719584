// Untimed laps, to warm up and to count bytes.

import type { Operation } from './operation.ts';

/** Enough to compile loops of thousands of operations, even if that takes longer than `ms`. */
const WARM_UP_LAPS_MIN = 12;
const US_PER_MS = 1_000;

/** Runs that many laps. Returns how many had a wrong result. */
export async function wrongLaps({ lap, answer }: Operation, laps: number): Promise<number> {
  let wrong = 0;
  for (let i = 0; i < laps; i++) {
    const given = lap();
    // `await` allocates, so synchronous laps skip it.
    if ((typeof given === 'number' ? given : await given) !== answer) wrong++;
  }
  return wrong;
}

/** Runs laps for `ms` of processor time, so the compiler threads get their share on a busy machine, too. */
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
