// Measures a node of a cluster: what it holds, who else lives, the requests that it passes on, and the live sessions that it
// left. The main thread counts in shared memory; the metrics exporter reads it.

import { REQUEST_BOUNDS_MS } from '#api/http/request-meter.ts';
import { CellPlan } from '#engine/delivery/meter/cell-plan.ts';
import { Histogram, histogramCells } from '#engine/delivery/meter/histogram.ts';
import { NamedCells } from '#engine/delivery/meter/named-cells.ts';

/** `unknown`: its home may have read it and did not answer, so the client got 503. */
export const PASSINGS = ['answered', 'not_home', 'unreachable', 'unknown'] as const;
const GAUGES = ['slots', 'nodesAlive'] as const;
/** Live sessions, because this node's updates differ. */
const LEAVINGS = ['sessions'] as const;

const plan = new CellPlan();
const GAUGED = plan.take(GAUGES.length);
const PASSED = plan.take(PASSINGS.length);
const PASS_MS = plan.take(histogramCells(REQUEST_BOUNDS_MS));
const LEFT = plan.take(LEAVINGS.length);

export class NodeMeter {
  static readonly memory = (): SharedArrayBuffer => plan.memory();
  readonly gauges: NamedCells<(typeof GAUGES)[number]>;
  readonly passings: NamedCells<(typeof PASSINGS)[number]>;
  /** Until the answer began, of those that were answered. */
  readonly passMs: Histogram;
  readonly leavings: NamedCells<(typeof LEAVINGS)[number]>;
  readonly memory: SharedArrayBuffer;

  /** Only one thread at a time may write to `memory`. */
  constructor(memory: SharedArrayBuffer = NodeMeter.memory()) {
    const cells = new Float64Array(memory);
    this.memory = memory;
    this.gauges = new NamedCells(GAUGES, cells, GAUGED);
    this.passings = new NamedCells(PASSINGS, cells, PASSED);
    this.passMs = new Histogram(REQUEST_BOUNDS_MS, cells, PASS_MS);
    this.leavings = new NamedCells(LEAVINGS, cells, LEFT);
  }
}

/** What the metrics know of their node. Plain data that can be sent to other threads. */
export interface MeteredNode {
  readonly nodeNo: number;
  /** Of its inner listener, HOST:PORT. */
  readonly address: string;
  /** Of its lease. */
  readonly lease: SharedArrayBuffer;
  /** Of its meter. */
  readonly meter: SharedArrayBuffer;
}
