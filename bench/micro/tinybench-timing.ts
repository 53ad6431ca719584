// How long an operation takes: the median lap, by tinybench, divided by what a lap does. The garbage collector works as
// it does in the service, so what an operation leaves behind is part of its time.

import { Bench } from 'tinybench';
import { warmUp } from './laps.ts';
import type { Operation, Timed } from './operation.ts';

/** Enough for a median, whatever the time allows. */
const LAPS_MIN = 5;
const NS_PER_MS = 1e6;

/** `ms` is how long it is measured, after as much to warm up. */
export async function timed(operation: Operation, ms: number): Promise<Timed> {
  const { name, lap, times, answer } = operation;
  let wrong = await warmUp(operation, ms);
  const check = (given: number): void => {
    if (given !== answer) wrong++;
  };
  const bench = new Bench({ time: ms, iterations: LAPS_MIN, warmup: false, throws: true });
  // Left to find out by itself whether there is something to wait for, tinybench would not wait for the lap that it
  // tries.
  const first = lap();
  check(await first);
  if (typeof first === 'number') bench.add(name, () => check(lap() as number), { async: false });
  else bench.add(name, async () => check(await lap()), { async: true });
  const [task] = await bench.run();
  const { result } = task!;
  if (result.state !== 'completed') throw new Error(`${name}: tinybench ended as ${result.state}`);
  return { what: 'time', name, ns: (result.latency.p50 * NS_PER_MS) / times, wrong };
}
