// One log line a minute about deliveries: the meters of all threads, minus their values at the line before.

import { ATTEMPT_OUTCOMES } from '#engine/delivery/meter/attempt-outcome.ts';
import { DELIVERY_BOUNDS_MS, type DeliveryMeter } from '#engine/delivery/meter/delivery-meter.ts';
import { type Histogram, quantile } from '#engine/delivery/meter/histogram.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { DELAY_BOUNDS_MS, ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { SKIP_REASONS } from '#engine/delivery/skip-reason.ts';

/** Counts since the service started. */
interface Reading {
  readonly attempts: readonly number[];
  readonly skipped: readonly number[];
  readonly failed: number;
  readonly deliveryMs: readonly number[];
  /** One histogram for each thread. */
  readonly delayMs: readonly (readonly number[])[];
}

export interface Summary {
  readonly delivered: number;
  readonly failed: number;
  /** By outcome, without zeros. Test deliveries are included. */
  readonly attempts: Readonly<Record<string, number>>;
  /** By reason, without zeros. */
  readonly skipped: Readonly<Record<string, number>>;
  /** From when updates were due to their acknowledgement; null when none was acknowledged. */
  readonly lagP50Ms: number | null;
  readonly lagP99Ms: number | null;
  readonly inFlight: number;
  readonly mailbox: number;
  readonly retrying: number;
  readonly breakersOpen: number;
  readonly recordAttempts: number;
  /** Event loop delay of the slowest thread. */
  readonly delayP99Ms: number | null;
}

export class MinuteSummary {
  readonly #shards: readonly ShardMeter[];
  readonly #threads: readonly ThreadMeter[];
  #before: Reading;

  constructor(meters: Meters) {
    this.#shards = meters.shards.map((memory) => new ShardMeter(memory));
    const { main, live, operators } = meters;
    const others = [main, live, operators].map((memory) => new ThreadMeter(new Float64Array(memory)));
    this.#threads = [...others, ...this.#shards.map(({ thread }) => thread)];
    this.#before = this.#read();
  }

  /** What happened since the last call; null when nothing did and nothing waits. */
  take(): Summary | null {
    const before = this.#before;
    const now = this.#read();
    this.#before = now;
    const attempts = less(now.attempts, before.attempts);
    const skipped = less(now.skipped, before.skipped);
    const gauge = (name: ShardMeter['gauges']['names'][number]): number =>
      this.#shards.reduce((sum, meter) => sum + meter.gauges.value(name), 0);
    const waiting = gauge('inFlight') + gauge('mailbox') + gauge('retrying') + gauge('recordAttempts');
    if (waiting === 0 && [...attempts, ...skipped].every((count) => count === 0)) return null;
    const deliveryMs = less(now.deliveryMs, before.deliveryMs);
    const delays = now.delayMs.map((counts, no) => quantile(DELAY_BOUNDS_MS, less(counts, before.delayMs[no]!), 0.99));
    return {
      delivered: deliveryMs.reduce((sum, count) => sum + count, 0),
      failed: now.failed - before.failed,
      attempts: named(ATTEMPT_OUTCOMES, attempts),
      skipped: named(SKIP_REASONS, skipped),
      lagP50Ms: quantile(DELIVERY_BOUNDS_MS, deliveryMs, 0.5),
      lagP99Ms: quantile(DELIVERY_BOUNDS_MS, deliveryMs, 0.99),
      inFlight: gauge('inFlight'),
      mailbox: gauge('mailbox'),
      retrying: gauge('retrying'),
      breakersOpen: gauge('breakersOpen'),
      recordAttempts: gauge('recordAttempts'),
      delayP99Ms: Math.max(...delays.map((delay) => delay ?? 0)),
    };
  }

  #read(): Reading {
    const runs = this.#shards.flatMap(({ deliveries }) => [deliveries.live, deliveries.replay]);
    const tests = this.#shards.map(({ deliveries }) => deliveries.test);
    const count = (meters: readonly DeliveryMeter[], figure: (meter: DeliveryMeter) => number): number =>
      meters.reduce((sum, meter) => sum + figure(meter), 0);
    return {
      attempts: ATTEMPT_OUTCOMES.map((outcome) => count([...runs, ...tests], (meter) => meter.attempts(outcome))),
      skipped: SKIP_REASONS.map((reason) => count(runs, (meter) => meter.skips(reason))),
      failed: count(runs, ({ failures }) => failures),
      deliveryMs: summed(runs.map(({ deliveryMs }) => deliveryMs)),
      delayMs: this.#threads.map(({ delayMs }) => delayMs.counts),
    };
  }
}

function summed(histograms: readonly Histogram[]): number[] {
  const counts = histograms.map((histogram) => histogram.counts);
  return counts[0]!.map((_, bucket) => counts.reduce((sum, of) => sum + of[bucket]!, 0));
}

function less(now: readonly number[], before: readonly number[]): number[] {
  return now.map((count, no) => count - before[no]!);
}

function named(names: readonly string[], counts: readonly number[]): Record<string, number> {
  return Object.fromEntries(names.map((name, no) => [name, counts[no]!] as const).filter(([, count]) => count > 0));
}
