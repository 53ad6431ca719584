// The API: requests by operation and status class. Operations without requests are left out.

import type { Metric } from 'prom-client';
import { CONNECTION_BOUNDS, type RequestCounts, RequestMeter, STATUS_CLASSES } from '#api/http/request-meter.ts';
import { counter, gauge, histogram, NO_LABELS, type Sample } from './sampled-metric.ts';

export function requestMetrics(counts: RequestCounts): readonly Metric[] {
  const meter = RequestMeter.reading(counts);
  const called = () =>
    counts.routes
      .map(({ method, path }, routeNo) => ({ labels: { method, route: path }, ...meter.route(routeNo) }))
      .filter(({ answers }) => STATUS_CLASSES.some((status) => answers.value(status) > 0));
  return [
    counter('slipstream_requests_total', 'API requests with a response.', () =>
      called().flatMap(({ labels, answers }) =>
        STATUS_CLASSES.map((status): Sample => [{ ...labels, status }, answers.value(status)]),
      ),
    ),
    histogram('slipstream_request_seconds', "From a request's first byte to its response.", 1_000, () =>
      called().map(({ labels, ms }) => [labels, [ms]] as const),
    ),
    gauge('slipstream_requests_in_progress', 'API requests in progress.', () => [
      [NO_LABELS, meter.gauges.value('inProgress')],
    ]),
    gauge('slipstream_api_connections', 'Open connections to the API.', () => [
      [NO_LABELS, meter.gauges.value('connections')],
    ]),
    counter('slipstream_api_connections_refused_total', 'Connections closed as soon as they opened.', () =>
      CONNECTION_BOUNDS.map((bound): Sample => [{ bound }, meter.refusedConnections.value(bound)]),
    ),
    gauge('slipstream_event_streams', 'Open event streams.', () => [[NO_LABELS, meter.gauges.value('streams')]]),
  ];
}
