// The address of the theatre: what plays, how fast, and where its updates go.

import { REPLAY_SPEED_MAX, REPLAY_SPEED_MIN } from './show/speeds.ts';

export type Sinks = 'visual' | 'both';

export type TheatreAddress =
  | { readonly kind: 'live' }
  | { readonly kind: 'replay'; readonly speed: number; readonly sinks: Sinks };

const SPEED = 10;

export function replayPath(
  sessionId: string,
  { speed, sinks }: { readonly speed: number; readonly sinks: Sinks },
): string {
  return `/console/replay/${encodeURIComponent(sessionId)}?speed=${speed}&sinks=${sinks}`;
}

export function livePath(sessionId: string): string {
  return `/console/replay/${encodeURIComponent(sessionId)}?live=1`;
}

/** What the query of the address says; a replay to watch if it says nothing. */
export function parseTheatreAddress(query: Readonly<Record<string, string>>): TheatreAddress {
  if (query.live !== undefined) return { kind: 'live' };
  const speed = Number(query.speed);
  const isSpeed = speed >= REPLAY_SPEED_MIN && speed <= REPLAY_SPEED_MAX;
  return { kind: 'replay', speed: isSpeed ? speed : SPEED, sinks: query.sinks === 'both' ? 'both' : 'visual' };
}
