// Counts requests by operation and status class, and how long they took, and the connections that they come over. The main
// thread counts in shared memory; the metrics exporter reads it.

import { CellPlan } from '#engine/delivery/meter/cell-plan.ts';
import { Histogram, histogramCells } from '#engine/delivery/meter/histogram.ts';
import { NamedCells } from '#engine/delivery/meter/named-cells.ts';

export const REQUEST_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 20_000] as const;
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
const GAUGES = ['inProgress', 'streams', 'connections'] as const;
/** Which bound a connection met that was closed as soon as it opened: that of all, or that of its address. */
export const CONNECTION_BOUNDS = ['all', 'address'] as const;

/** One operation. Requests that match none count under the path `unknown`. */
export interface MeteredRoute {
  readonly method: string;
  readonly path: string;
}

/** Plain data that can be sent to other threads. */
export interface RequestCounts {
  readonly routes: readonly MeteredRoute[];
  readonly memory: SharedArrayBuffer;
}

export const UNKNOWN_ROUTE: MeteredRoute = { method: 'any', path: 'unknown' };

interface RouteMeter {
  readonly answers: NamedCells<(typeof STATUS_CLASSES)[number]>;
  readonly ms: Histogram;
}

export class RequestMeter {
  readonly counts: RequestCounts;
  readonly gauges: NamedCells<(typeof GAUGES)[number]>;
  readonly refusedConnections: NamedCells<(typeof CONNECTION_BOUNDS)[number]>;
  readonly #routes: readonly RouteMeter[];

  private constructor(counts: RequestCounts, plan: CellPlan) {
    const cells = new Float64Array(counts.memory);
    this.counts = counts;
    this.gauges = new NamedCells(GAUGES, cells, plan.take(GAUGES.length));
    this.refusedConnections = new NamedCells(CONNECTION_BOUNDS, cells, plan.take(CONNECTION_BOUNDS.length));
    this.#routes = counts.routes.map(() => ({
      answers: new NamedCells(STATUS_CLASSES, cells, plan.take(STATUS_CLASSES.length)),
      ms: new Histogram(REQUEST_BOUNDS_MS, cells, plan.take(histogramCells(REQUEST_BOUNDS_MS))),
    }));
  }

  /** A meter at zero. Requests that match no route have the number after the last one. */
  static of(routes: readonly MeteredRoute[]): RequestMeter {
    const perRoute = STATUS_CLASSES.length + histogramCells(REQUEST_BOUNDS_MS);
    const plan = new CellPlan();
    plan.take(GAUGES.length + CONNECTION_BOUNDS.length + (routes.length + 1) * perRoute);
    const known = [...routes, UNKNOWN_ROUTE].map(({ method, path }) => ({ method, path }));
    return RequestMeter.reading({ routes: known, memory: plan.memory() });
  }

  static reading(counts: RequestCounts): RequestMeter {
    return new RequestMeter(counts, new CellPlan());
  }

  answered(routeNo: number, status: number, ms: number): void {
    const { answers, ms: histogram } = this.#routes[routeNo]!;
    answers.add(STATUS_CLASSES[Math.floor(status / 100) - 2] ?? '5xx');
    histogram.record(ms);
  }

  route(routeNo: number): RouteMeter {
    return this.#routes[routeNo]!;
  }
}
