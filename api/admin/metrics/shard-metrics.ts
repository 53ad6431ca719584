// Shards: how much is waiting, how connections are used, and how group commits keep up.

import type { Metric } from 'prom-client';
import type { Clock } from '#engine/base/clock.ts';
import type { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { counter, gauge, histogram, NO_LABELS, type Sample } from './sampled-metric.ts';

export function shardMetrics(shards: readonly ShardMeter[], clock: Clock): readonly Metric[] {
  const each = (figure: (meter: ShardMeter) => number) => (): readonly Sample[] =>
    shards.map((meter, shard) => [{ shard: String(shard) }, figure(meter)]);
  const shardGauge = (name: string, help: string, figure: ShardMeter['gauges']['names'][number]): Metric =>
    gauge(
      name,
      help,
      each((meter) => meter.gauges.value(figure)),
    );
  const age = (name: string, help: string, since: ShardMeter['gauges']['names'][number]): Metric =>
    gauge(
      name,
      help,
      each(({ gauges }) => ageMs(gauges.value(since), clock.nowMs()) / 1_000),
    );
  const count = (name: string, help: string, figure: ShardMeter['counts']['names'][number]): Metric =>
    counter(
      name,
      help,
      each(({ counts }) => counts.value(figure)),
    );
  return [
    shardGauge('slipstream_actors', 'Endpoints in runs; each is an actor.', 'actors'),
    shardGauge('slipstream_mailbox_updates', 'Updates in mailboxes: due, but not started.', 'mailbox'),
    shardGauge('slipstream_mailbox_most_updates', 'Updates in the fullest mailbox; it holds 256.', 'mailboxMost'),
    age('slipstream_queue_age_seconds', 'How long the oldest update in a mailbox has been due.', 'queuedSinceMs'),
    shardGauge('slipstream_attempts_in_flight', 'Requests to webhook endpoints under way.', 'inFlight'),
    shardGauge('slipstream_retries_waiting', 'Deliveries waiting for a retry.', 'retrying'),
    shardGauge(
      'slipstream_breakers_open',
      'Endpoints in replays that the circuit breaker has paused after consecutive failures.',
      'breakersOpen',
    ),
    shardGauge('slipstream_connections', 'Connections to webhook endpoints.', 'connections'),
    count('slipstream_connections_opened_total', 'Connections opened to webhook endpoints.', 'connectionsOpened'),
    count(
      'slipstream_tls_resumed_total',
      'TLS connections to webhook endpoints that resumed an earlier session.',
      'tlsResumed',
    ),
    count('slipstream_requests_reused_total', 'Requests over a connection that was already open.', 'requestsReused'),
    count(
      'slipstream_requests_moved_total',
      'Requests that went over another connection because the endpoint had closed their idle one.',
      'requestsMoved',
    ),
    count(
      'slipstream_actor_restarts_total',
      'Restarts of actors after an unexpected error; any is a defect.',
      'actorRestarts',
    ),
    shardGauge('slipstream_record_attempts', 'Attempts that are not committed yet.', 'recordAttempts'),
    age('slipstream_record_age_seconds', 'How long the oldest uncommitted attempt has waited.', 'recordSinceMs'),
    histogram('slipstream_batch_attempts', 'Attempts in a group commit.', 1, () => [
      [NO_LABELS, shards.map(({ records }) => records.batches)],
    ]),
    histogram('slipstream_commit_seconds', 'Duration of successful group commits.', 1_000, () => [
      [NO_LABELS, shards.map(({ records }) => records.commitMs)],
    ]),
    counter(
      'slipstream_commit_failures_total',
      'Failed group commits; each is retried.',
      each(({ records }) => records.commitFailures),
    ),
  ];
}

/** `sinceMs` 0: nothing is waiting. */
export function ageMs(sinceMs: number, nowMs: number): number {
  return sinceMs === 0 ? 0 : Math.max(0, nowMs - sinceMs);
}
