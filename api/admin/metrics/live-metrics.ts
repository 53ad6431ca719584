// Live sessions: the progress of each, and whether live timing is connected.

import type { Metric } from 'prom-client';
import type { Clock } from '#engine/base/clock.ts';
import type { SessionProgress } from '#engine/intake/live/session-progress.ts';
import { gauge, NO_LABELS, type Sample } from './sampled-metric.ts';

/** The current live sessions. */
export interface LiveView {
  /** By id. */
  readonly sessions: ReadonlyMap<string, SessionProgress>;
  /** Whether live timing is connected. */
  readonly connected: boolean;
}

/** `hasTiming`: the service is configured to follow live timing. */
export function liveMetrics(live: LiveView, hasTiming: boolean, clock: Clock): readonly Metric[] {
  const each = (figure: (progress: SessionProgress) => number) => (): readonly Sample[] =>
    [...live.sessions].map(([session, progress]) => [{ session }, figure(progress)]);
  const metrics = [
    gauge(
      'slipstream_live_frames',
      'Frames accepted of each live session.',
      each(({ frames }) => frames),
    ),
    gauge(
      'slipstream_live_updates',
      'Updates derived of each live session.',
      each(({ updates }) => updates),
    ),
    gauge(
      'slipstream_live_silent_seconds',
      'Time since the latest frame of each live session.',
      each(({ lastFrameMs }) => Math.max(0, clock.nowMs() - lastFrameMs) / 1_000),
    ),
  ];
  if (!hasTiming) return metrics;
  const isConnected = gauge('slipstream_live_connected', '1 while live timing is connected.', () => [
    [NO_LABELS, live.connected ? 1 : 0],
  ]);
  return [...metrics, isConnected];
}
