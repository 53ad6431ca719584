// An update as it came, made into what the theatre shows.

import type { ShownUpdate } from './updates.ts';

/** The least that each payload has. */
export interface AnyPayload {
  readonly sessionId: string;
  readonly sequence: number;
  readonly utc: string;
}

export function shownUpdate(feed: string, payload: AnyPayload, bytes: number): ShownUpdate {
  const { sessionId, sequence, utc } = payload;
  const atMs = Date.parse(utc);
  return { feed, sequence, sessionId, atMs, payload: payload as unknown as ShownUpdate['payload'], bytes };
}

/** The data of an event of a stream. Null if it is no update. */
export function updateOfText(feed: string, data: string): ShownUpdate | null {
  let payload: Partial<AnyPayload> | null;
  try {
    payload = JSON.parse(data) as Partial<AnyPayload> | null;
  } catch {
    return null;
  }
  if (typeof payload?.sessionId !== 'string' || typeof payload.sequence !== 'number') return null;
  return shownUpdate(feed, payload as AnyPayload, data.length);
}
