// Live sessions: how far each is, and whether live timing is connected.

import type { Metric } from 'prom-client';
import type { Clock } from '#engine/base/clock.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import type { LiveSessions } from '#engine/intake/live/live-sessions.ts';
import { gauge, NO_LABELS, type Sample } from './sampled-metric.ts';

/** `connected` is null when there is no live timing to be connected to. */
export function liveMetrics(
  sessions: Pick<LiveSessions, 'all'>,
  connected: (() => boolean) | null,
  clock: Clock,
): readonly Metric[] {
  const each = (figure: (session: LiveSession) => number) => (): readonly Sample[] =>
    [...sessions.all()].map((session) => [{ session: session.head.sessionId }, figure(session)]);
  const metrics = [
    gauge(
      'slipstream_live_frames',
      'Frames taken of each session that goes on.',
      each(({ frames }) => frames),
    ),
    gauge(
      'slipstream_live_updates',
      'Updates derived of each session that goes on.',
      each(({ updates }) => updates),
    ),
    gauge(
      'slipstream_live_silent_seconds',
      'Since the latest frame of each session that goes on.',
      each(({ lastFrameMs }) => Math.max(0, clock.nowMs() - lastFrameMs) / 1_000),
    ),
  ];
  if (connected === null) return metrics;
  const isConnected = gauge('slipstream_live_connected', '1 while live timing is connected.', () => [
    [NO_LABELS, connected() ? 1 : 0],
  ]);
  return [...metrics, isConnected];
}
