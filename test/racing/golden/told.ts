// What a golden session told, as tests look at it.

import { assert } from '#engine/base/assert.ts';
import { payloadsOf, type TestPayload } from '#test/racing/real-sessions.ts';
import type { GoldenSession } from './golden-sessions.ts';

/** A payload that is expected: its content without the envelope, the lap included. */
export interface ToldPayload {
  readonly feed: string;
  readonly seconds: number;
  readonly content: object;
}

const parsed = new WeakMap<GoldenSession, readonly TestPayload[]>();

/** All payloads, or those of a feed. */
export function told(session: GoldenSession, feed?: string): readonly TestPayload[] {
  let all = parsed.get(session);
  if (all === undefined) {
    all = payloadsOf(session.timeline);
    parsed.set(session, all);
  }
  return feed === undefined ? all : all.filter((payload) => payload.feed === feed);
}

/** Since the session's time zero. */
export function secondsOf(session: GoldenSession, { utc }: TestPayload): number {
  return (Date.parse(utc) - session.timeline.info.startUtcMs) / 1000;
}

/** The content of the only payload of a feed in that tenth of a second. */
export function contentAt(session: GoldenSession, feed: string, seconds: number): object {
  const found = told(session, feed).filter((payload) => secondsOf(session, payload).toFixed(1) === seconds.toFixed(1));
  assert(found.length === 1, `${found.length} payloads of ${feed} at ${seconds} s`);
  const ENVELOPE = ['feed', 'seriesId', 'sessionId', 'sequence', 'utc'];
  return Object.fromEntries(Object.entries(found[0]!).filter(([name]) => !ENVELOPE.includes(name)));
}

/** Race events as `seconds lap type who: details`; personal bests aside, which are told apart. */
export function eventRows(session: GoldenSession): string[] {
  return told(session, 'events.race')
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
  return `${name} ${typeof value === 'object' ? (value as { display: string }).display : value}`;
}
