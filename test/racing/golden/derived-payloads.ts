// The payloads that are derived from a golden session, in the forms in which tests read them.

import { assert } from '#engine/base/assert.ts';
import { payloadsOf, type TestPayload } from '#test/racing/real-sessions.ts';
import type { GoldenSession } from './golden-sessions.ts';

/** An expected payload: its content without the envelope, but with the lap. */
export interface ExpectedPayload {
  readonly feed: string;
  readonly seconds: number;
  readonly content: object;
}

const parsed = new WeakMap<GoldenSession, readonly TestPayload[]>();

/** Returns all payloads, or those of one feed. */
export function derived(session: GoldenSession, feed?: string): readonly TestPayload[] {
  let all = parsed.get(session);
  if (all === undefined) {
    all = payloadsOf(session.timeline);
    parsed.set(session, all);
  }
  return feed === undefined ? all : all.filter((payload) => payload.feed === feed);
}

/** Returns the seconds since the session's time zero. */
export function secondsOf(session: GoldenSession, { utc }: TestPayload): number {
  return (Date.parse(utc) - session.timeline.info.startUtcMs) / 1000;
}

/** Returns the content of the only payload of the feed in that tenth of a second. */
export function contentAt(session: GoldenSession, feed: string, seconds: number): object {
  const found = derived(session, feed).filter(
    (payload) => secondsOf(session, payload).toFixed(1) === seconds.toFixed(1),
  );
  assert(found.length === 1, `${found.length} payloads of ${feed} at ${seconds} s`);
  const ENVELOPE = ['feed', 'seriesId', 'sessionId', 'sequence', 'utc'];
  return Object.fromEntries(Object.entries(found[0]!).filter(([name]) => !ENVELOPE.includes(name)));
}

/**
 * Returns race events as `seconds lap type drivers: details`. Leaves out personal bests, which have tests of their own.
 */
export function eventRows(session: GoldenSession): string[] {
  return derived(session, 'events.race')
    .filter(({ event }) => event !== 'personal_best')
    .map((payload) => {
      const { lap, event, drivers, data } = payload;
      const when = `${secondsOf(session, payload).toFixed(1)}${lap === undefined ? '' : ` L${lap}`}`;
      const who = drivers.map(({ tla }) => ` ${tla}`).join('');
      const details = Object.entries(data).flatMap(([name, value]) =>
        name === 'message' ? [] : [textOf(name, value)],
      );
      return `${when} ${event}${who}${details.length === 0 ? '' : `: ${details.sort().join(', ')}`}`;
    });
}

function textOf(name: string, value: unknown): string {
  return `${name} ${typeof value === 'object' && value !== null ? shortOf(value) : value}`;
}

/** Returns a time as it is displayed, a driver by his code and places, and a cause by its kind and the others. */
function shortOf(value: object): string {
  const { display, tla, positionBefore, positionAfter, kind, otherNumbers } = value as Record<string, unknown>;
  if (display !== undefined) return String(display);
  if (kind !== undefined) return `${kind} ${(otherNumbers as string[]).join(' ')}`.trim();
  return positionBefore === undefined ? String(tla) : `${tla} P${positionBefore}-P${positionAfter}`;
}
