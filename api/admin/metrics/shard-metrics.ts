// Shards: how much waits on each, how its connections are used, and how writing down goes on.

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
      each(({ gauges }) => ageS(gauges.value(since), clock.nowMs())),
    );
  const count = (name: string, help: string, figure: ShardMeter['counts']['names'][number]): Metric =>
    counter(
      name,
      help,
      each(({ counts }) => counts.value(figure)),
    );
  return [
    shardGauge('slipstream_actors', 'Endpoints in runs: each is an actor.', 'actors'),
    shardGauge('slipstream_mailbox_updates', 'Updates in mailboxes: due, and not begun.', 'mailbox'),
    shardGauge('slipstream_mailbox_most_updates', 'Updates in the fullest mailbox; it holds 256.', 'mailboxMost'),
    age(
      'slipstream_queue_age_seconds',
      'How long the update has been due that waits longest to be begun.',
      'queuedSinceMs',
    ),
    shardGauge('slipstream_attempts_in_flight', 'Requests to webhook endpoints under way.', 'inFlight'),
    shardGauge('slipstream_retries_waiting', 'Deliveries that wait for a further attempt.', 'retrying'),
    shardGauge(
      'slipstream_breakers_open',
      'Endpoints of replays that are paused after a row of failures.',
      'breakersOpen',
    ),
    shardGauge('slipstream_connections', 'Connections to webhook endpoints.', 'connections'),
    count(
      'slipstream_connections_opened_total',
      'Connections to webhook endpoints that were begun.',
      'connectionsOpened',
    ),
    count('slipstream_requests_reused_total', 'Requests over a connection that was there already.', 'requestsReused'),
    count(
      'slipstream_requests_sent_again_total',
      'Requests sent again at once, because their kept connection had been closed.',
      'requestsSentAgain',
    ),
    count('slipstream_actor_restarts_total', 'Actors that failed and were restarted: a defect.', 'actorRestarts'),
    shardGauge('slipstream_record_attempts', 'Attempts that are not written down.', 'recordAttempts'),
    age('slipstream_record_age_seconds', 'How long the oldest has waited that is not written down.', 'recordSinceMs'),
    histogram('slipstream_batch_attempts', 'Attempts in a group commit.', 1, () => [
      [NO_LABELS, shards.map(({ records }) => records.batches)],
    ]),
    histogram('slipstream_commit_seconds', 'How long group commits took that succeeded.', 1_000, () => [
      [NO_LABELS, shards.map(({ records }) => records.commitMs)],
    ]),
    counter(
      'slipstream_commit_failures_total',
      'Group commits that failed and are tried again.',
      each(({ records }) => records.commitFailures),
    ),
  ];
}

/** `sinceMs` 0: nothing waits. */
function ageS(sinceMs: number, nowMs: number): number {
  return sinceMs === 0 ? 0 : Math.max(0, nowMs - sinceMs) / 1_000;
}
