// session.clock and heartbeat: the remaining time, and the upstream's own clock. Every payload has all fields.

import { booleanOf, textOf } from '#engine/base/json-value.ts';
import type { HeartbeatData } from '#schemas/webhook/heartbeat.ts';
import type { SessionClockData } from '#schemas/webhook/session-clock.ts';
import { isoUtcOf } from './iso-utc.ts';
import { NOTHING, type Normalise, touches } from './normaliser.ts';

const CLOCK_FIELDS = ['Utc', 'Remaining', 'Extrapolating'];

export const sessionClock: Normalise = (changes, state) => {
  if (!touches(changes, CLOCK_FIELDS)) return NOTHING;
  const { Utc, Remaining, Extrapolating } = state.topic('ExtrapolatedClock');
  const data: SessionClockData = {
    utc: isoUtcOf(Utc),
    remaining: remainingOf(Remaining),
    running: booleanOf(Extrapolating),
  };
  return [{ data }];
};

export const heartbeat: Normalise = (changes) => {
  const utc = isoUtcOf(changes.Utc);
  if (utc === null) return NOTHING;
  const data: HeartbeatData = { utc };
  return [{ data }];
};

/** `01:17:59`, hours first. */
function remainingOf(value: unknown): SessionClockData['remaining'] {
  const display = textOf(value);
  if (display === null) return null;
  const match = /^(\d{1,3}):(\d\d):(\d\d)$/.exec(display);
  if (match === null) return { display, ms: null };
  const [, hours, minutes, seconds] = match;
  return { display, ms: ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 };
}
