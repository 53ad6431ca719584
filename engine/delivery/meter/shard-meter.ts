// The meter of a shard, in memory that outlives its thread: the thread that replaces one that died continues the same
// counts.

import type { DeliveryMode } from '#engine/delivery/run-order.ts';
import { DUE_OUTCOMES, type DueOutcome } from '#engine/delivery/usage/due-outcome.ts';
import { CellPlan } from './cell-plan.ts';
import { DELIVERY_CELLS, DeliveryMeter } from './delivery-meter.ts';
import { Histogram, histogramCells } from './histogram.ts';
import { NamedCells } from './named-cells.ts';
import { RECORD_CELLS, RecordMeter } from './record-meter.ts';
import { THREAD_CELLS, ThreadMeter } from './thread-meter.ts';

/** For the time from the receipt of a live update's frame to the start of its first attempt. */
export const START_BOUNDS_MS = [
  0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 20, 50, 100, 250, 500, 1_000, 5_000, 60_000,
] as const;
/** Set about once a second, but `inFlight` at once. */
const GAUGES = [
  'actors',
  'breakersOpen',
  'connections',
  'inFlight',
  'mailbox',
  'mailboxMost',
  /** The due time of the update that has waited longest for its first attempt; 0 when none waits. */
  'queuedSinceMs',
  'recordAttempts',
  /** Since when the oldest unrecorded change has waited; 0 when everything is recorded. */
  'recordSinceMs',
  'retrying',
] as const;
const COUNTS = ['actorRestarts', 'connectionsOpened', 'requestsReused', 'requestsMoved', 'tlsResumed'] as const;

const plan = new CellPlan();
const LIVE = plan.take(DELIVERY_CELLS);
const REPLAY = plan.take(DELIVERY_CELLS);
const TEST = plan.take(DELIVERY_CELLS);
const LIVE_START_MS = plan.take(histogramCells(START_BOUNDS_MS));
const DUE = plan.take(DUE_OUTCOMES.length);
const RECORDS = plan.take(RECORD_CELLS);
const GAUGE_CELLS = plan.take(GAUGES.length);
const COUNTED = plan.take(COUNTS.length);
const THREAD = plan.take(THREAD_CELLS);

export class ShardMeter {
  static readonly memory = (): SharedArrayBuffer => plan.memory();
  readonly deliveries: Readonly<Record<DeliveryMode, DeliveryMeter>>;
  readonly liveStartMs: Histogram;
  /** What became of live updates that were due. */
  readonly due: NamedCells<DueOutcome>;
  readonly records: RecordMeter;
  readonly gauges: NamedCells<(typeof GAUGES)[number]>;
  readonly counts: NamedCells<(typeof COUNTS)[number]>;
  readonly thread: ThreadMeter;

  /** Only one thread at a time may write to `memory`. */
  constructor(memory: SharedArrayBuffer = ShardMeter.memory()) {
    const cells = new Float64Array(memory);
    this.deliveries = {
      live: new DeliveryMeter(cells, LIVE),
      replay: new DeliveryMeter(cells, REPLAY),
      test: new DeliveryMeter(cells, TEST),
    };
    this.liveStartMs = new Histogram(START_BOUNDS_MS, cells, LIVE_START_MS);
    this.due = new NamedCells(DUE_OUTCOMES, cells, DUE);
    this.records = new RecordMeter(cells, RECORDS);
    this.gauges = new NamedCells(GAUGES, cells, GAUGE_CELLS);
    this.counts = new NamedCells(COUNTS, cells, COUNTED);
    this.thread = new ThreadMeter(cells, THREAD);
  }
}
