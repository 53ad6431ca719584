// Lag and latency over the last hour: the histograms that the shards count in shared memory, sampled from time to time.
// Samples are kept in typed arrays, where the newest takes the place of the oldest.

import { assert } from '#engine/base/assert.ts';
import type { Clock } from '#engine/base/clock.ts';
import { HISTORY_SAMPLE_MS, HISTORY_SAMPLES_MAX } from '#engine/base/limits.ts';
import type { DeliveryMeter } from '#engine/delivery/meter/delivery-meter.ts';
import type { Histogram } from '#engine/delivery/meter/histogram.ts';
import type { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { HISTORY_COLUMNS, type HistoryColumn, type OperatorsHistory } from '#schemas/http/operators.ts';
import { CountsSince } from './counts-since.ts';

export class History {
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #lag: Readonly<Record<'live' | 'replay', CountsSince>>;
  readonly #attempts: CountsSince;
  readonly #runs: readonly DeliveryMeter[];
  readonly #at = new Float64Array(HISTORY_SAMPLES_MAX);
  /** NaN where nothing was measured. */
  readonly #columns: Readonly<Record<HistoryColumn, Float64Array>>;
  #taken = 0;
  #settled: Settled;

  constructor(shards: readonly ShardMeter[], clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock;
    const all = shards.map(({ deliveries }) => deliveries);
    this.#lag = {
      live: new CountsSince(some(all.map(({ live }) => live.deliveryMs))),
      replay: new CountsSince(some(all.map(({ replay }) => replay.deliveryMs))),
    };
    this.#runs = all.flatMap(({ live, replay }) => [live, replay]);
    this.#attempts = new CountsSince(some(this.#runs.map(({ attemptMs }) => attemptMs)));
    this.#columns = Object.fromEntries(
      HISTORY_COLUMNS.map((name) => [name, new Float64Array(HISTORY_SAMPLES_MAX)]),
    ) as Record<HistoryColumn, Float64Array>;
    this.#settled = settledOf(this.#runs);
  }

  /** To be called every HISTORY_SAMPLE_MS. */
  sample(): void {
    const place = this.#taken++ % HISTORY_SAMPLES_MAX;
    const live = this.#lag.live.take();
    const replay = this.#lag.replay.take();
    const attempts = this.#attempts.take();
    const settled = settledOf(this.#runs);
    const measured: Readonly<Record<HistoryColumn, number | null>> = {
      liveLagP50: live(0.5),
      liveLagP99: live(0.99),
      replayLagP50: replay(0.5),
      replayLagP99: replay(0.99),
      attemptP50: attempts(0.5),
      attemptP99: attempts(0.99),
      delivered: settled.delivered - this.#settled.delivered,
      failed: settled.failed - this.#settled.failed,
    };
    this.#settled = settled;
    this.#at[place] = this.#clock.wallMs() / 1_000;
    for (const name of HISTORY_COLUMNS) this.#columns[name][place] = measured[name] ?? Number.NaN;
  }

  read(): OperatorsHistory {
    const columns = HISTORY_COLUMNS.map((name) => {
      const values = this.#inOrder(this.#columns[name]);
      return [name, values.map((value) => (Number.isNaN(value) ? null : Math.round(value * 100) / 100))];
    });
    return { everyMs: HISTORY_SAMPLE_MS, at: this.#inOrder(this.#at), columns: Object.fromEntries(columns) };
  }

  #inOrder(ring: Float64Array): number[] {
    const next = this.#taken % HISTORY_SAMPLES_MAX;
    const all = [...ring.subarray(next), ...ring.subarray(0, next)];
    return all.slice(Math.max(0, HISTORY_SAMPLES_MAX - this.#taken));
  }
}

interface Settled {
  readonly delivered: number;
  readonly failed: number;
}

function settledOf(runs: readonly DeliveryMeter[]): Settled {
  return {
    delivered: runs.reduce((sum, meter) => sum + meter.attempts('delivered'), 0),
    failed: runs.reduce((sum, { failures }) => sum + failures, 0),
  };
}

function some(histograms: readonly Histogram[]): readonly [Histogram, ...Histogram[]] {
  const [first, ...others] = histograms;
  assert(first !== undefined, 'there is a shard');
  return [first, ...others];
}
