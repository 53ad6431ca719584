// What a replay will send, as far as it is known when it starts: how many deliveries, how many are left this month, and
// what that means.

import { REPLAY_FORECAST_MATCHES_MAX } from '#engine/base/limits.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

export interface RunForecast {
  readonly activeEndpoints: number;
  readonly pausedEndpoints: number;
  /** First attempts by the settings of now, or what they are at most when there are too many to count. */
  readonly expectedDeliveries: number;
  /** Null: no limit. */
  readonly deliveriesLeft: number | null;
  readonly warning: string | null;
}

/** `left`: the attempts that the account may still start this month, Infinity without a limit. */
export function runForecast(
  order: RunOrder,
  settings: readonly EndpointSettings[],
  timeline: Timeline,
  from: number,
  left: number,
): RunForecast {
  const active = settings.filter((endpoint) => endpoint.active);
  const each = timeline.length - from;
  const most = each * active.length;
  const isKnown = order.allFeeds || most > REPLAY_FORECAST_MATCHES_MAX;
  const expectedDeliveries = isKnown
    ? most
    : active.reduce((sum, endpoint) => sum + matches(new CompiledFilter(endpoint, order, timeline), from, timeline), 0);
  return {
    activeEndpoints: active.length,
    pausedEndpoints: settings.length - active.length,
    expectedDeliveries,
    deliveriesLeft: Number.isFinite(left) ? left : null,
    warning: expectedDeliveries > left ? warning(order, expectedDeliveries, left) : null,
  };
}

function matches(filter: CompiledFilter, from: number, { length }: Timeline): number {
  let count = 0;
  for (let position = from; position < length; position++) if (filter.matches(position)) count++;
  return count;
}

function warning({ allFeeds }: RunOrder, expected: number, left: number): string {
  const of = allFeeds ? 'deliveries of the demo session' : 'deliveries';
  const others = allFeeds ? ' Other deliveries are not affected.' : ' Live deliveries count towards the same limit.';
  return (
    `This replay has up to ${expected} deliveries, and this account has ${left} ${of} left this month: what finds ` +
    `none left is skipped as monthly_limit.${others} Choose fewer feeds or endpoints, or stop the run with ` +
    'DELETE /v1/simulate/stream.'
  );
}
