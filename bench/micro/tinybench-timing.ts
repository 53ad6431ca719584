// How long an operation takes: tinybench's median lap, divided by the operations in a lap. The garbage collector runs
// as in the service, so the time includes collecting the operation's garbage.

import { Bench } from 'tinybench';
import { warmUp } from './laps.ts';
import type { Operation, Timed } from './operation.ts';

/** Enough for a median, even if that takes longer than `ms`. */
const LAPS_MIN = 5;
const NS_PER_MS = 1e6;

/** `ms` is how long to measure, after as much warm-up. */
export async function timed(operation: Operation, ms: number): Promise<Timed> {
  const { name, lap, times, answer } = operation;
  let wrong = await warmUp(operation, ms);
  const check = (given: number): void => {
    if (given !== answer) wrong++;
  };
  const bench = new Bench({ time: ms, iterations: LAPS_MIN, warmup: false, throws: true });
  // Told explicitly whether a lap is asynchronous: tinybench's own detection runs a lap without waiting for it.
  const first = lap();
  check(await first);
  if (typeof first === 'number') bench.add(name, () => check(lap() as number), { async: false });
  else bench.add(name, async () => check(await lap()), { async: true });
  const [task] = await bench.run();
  const { result } = task!;
  if (result.state !== 'completed') throw new Error(`${name}: tinybench ended as ${result.state}`);
  return { what: 'time', name, ns: (result.latency.p50 * NS_PER_MS) / times, wrong };
}
