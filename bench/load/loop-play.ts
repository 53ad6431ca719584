// One play of a stretch of a race by the bare loop, for comparison with the engine's (race-play.ts).

import { endpointsAt } from '../engines/bench-account.ts';
import type { PacedLoop } from '../peers/undici-paced-loop.ts';
import type { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { quantile } from '../suite/quantiles.ts';
import { lagsOf, splitAt } from './lag.ts';
import type { RaceSlice } from './race-slice.ts';

/** From the start of a play to the first due update. */
const LEAD_MS = 300;
/** How long the last deliveries may take to arrive. */
const SETTLE_MS_MAX = 60_000;

export interface LoopOrder {
  readonly loop: PacedLoop;
  readonly receiver: ArrivalReceiver;
  readonly slice: RaceSlice;
  readonly speed: number;
  readonly urls: readonly string[];
  /** Subtracted from every lag: the time that the last part of the way takes. */
  readonly travelMs: number;
  /** Length of the beginning, which does not count. */
  readonly beginningMs: number;
}

/** Returns the p99 lag after the beginning, in milliseconds. Throws if a delivery was lost. */
export async function playLoop({
  loop,
  receiver,
  slice,
  speed,
  urls,
  travelMs,
  beginningMs,
}: LoopOrder): Promise<number> {
  const { timeline, from, updates } = slice;
  const { dueMs } = timeline.columns;
  const secrets = endpointsAt('bench', urls).map(({ secret }) => secret);
  const expected = { secrets, first: from + 1, updates };
  await receiver.expect(expected);
  const zeroAtMs = monotonicMs() + LEAD_MS - dueMs[from]! / speed;
  const dueAtMs = (position: number): number => zeroAtMs + dueMs[position]! / speed;
  await loop.play({
    urls,
    secrets,
    bodies: Array.from({ length: updates }, (_, index) => timeline.body(from + index)),
    dueAtMs: Float64Array.from({ length: updates }, (_, index) => dueAtMs(from + index)),
  });
  await receiver.settled(SETTLE_MS_MAX);
  const arrivals = await receiver.report();
  const lost = updates * urls.length - arrivals.distinct;
  if (lost > 0) throw new Error(`the bare loop lost ${lost} deliveries`);
  const [, steady] = splitAt(
    lagsOf(arrivals, expected, (position) => dueAtMs(position) + travelMs),
    beginningMs,
  );
  return quantile(steady, 0.99);
}
