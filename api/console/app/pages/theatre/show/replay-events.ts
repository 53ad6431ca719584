// The stream of a replay over as many connections as it takes: each update once and in order. The run that a broken
// connection has lost continues behind the last update that was read.

import { ANSWER_BYTES_MAX, STREAM_SILENCE_MS } from '#api/client/bounds.ts';
import { EventReader, type ServerEvent } from '#api/client/event-reader.ts';
import { Deadline, refusalOf, send, textOf } from '#api/client/exchange.ts';
import { backoffMs, pause } from '#api/client/pause.ts';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { SERVICE_URL } from '../../../address.ts';
import { token } from '../../../data/service.ts';

/** What to play. */
export interface ReplayOrder {
  readonly session: string;
  readonly speed: number;
  readonly sinks: 'visual' | 'both';
  /** Begin at this time of the session, ISO 8601. */
  readonly time?: string;
}

export type ReplayNews =
  | { readonly kind: 'events'; readonly events: readonly ServerEvent[] }
  | { readonly kind: 'interrupted' };

/** How often in a row the stream tries to come back. */
const RETURNS_MAX = 20;
/** The account's replay before this one is just ending: a start is refused for so long. */
const BUSY_TRIES = 5;
const BUSY_PAUSE_MS = 400;
/** The id at the end of a run (api/simulate/visual-stream.ts). */
const END = 'end';

/**
 * Ends with the run. Throws a SlipstreamError, or the reason of `signal`. `lastId`: the account's last run of the session
 * continues behind this update, at the speed of the order; empty: another run begins.
 */
export async function* replayEvents(
  order: ReplayOrder,
  lastId: string,
  signal: AbortSignal,
): AsyncGenerator<ReplayNews, void> {
  let failures = 0;
  let busy = 0;
  let isTokenNew = false;
  for (;;) {
    try {
      for await (const [id, events] of connection(order, lastId, signal)) {
        lastId = id;
        failures = 0;
        isTokenNew = false;
        if (events.length > 0) yield { kind: 'events', events };
        if (lastId === END) return;
      }
      if (lastId === '') return;
    } catch (failure) {
      if (!(failure instanceof SlipstreamError)) throw failure;
      if (failure.code === 'replay_running' && busy < BUSY_TRIES) {
        busy++;
        await pause(BUSY_PAUSE_MS, signal);
        continue;
      }
      // The token ended with the sign-in before, or with the client secret.
      if (failure.status === 401 && !isTokenNew) {
        isTokenNew = true;
        continue;
      }
      const canReturn = failure.status === null || failure.status === 401 || failure.status >= 500;
      if (lastId === '' || !canReturn || failures >= RETURNS_MAX) throw failure;
    }
    failures++;
    yield { kind: 'interrupted' };
    await pause(backoffMs(failures), signal);
  }
}

/** One connection: events, with the id to come back with. */
async function* connection(
  { session, ...order }: ReplayOrder,
  lastId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly [string, readonly ServerEvent[]], void> {
  const url = new URL(`${SERVICE_URL}/v1/simulate/stream`);
  for (const [name, value] of Object.entries({ session, ...order })) url.searchParams.set(name, String(value));
  const bearer = await token.get(signal);
  const deadline = new Deadline(STREAM_SILENCE_MS, signal);
  try {
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${bearer}`,
      ...(lastId !== '' && { 'last-event-id': lastId }),
    };
    const response = await send({ method: 'GET', url, headers }, deadline.signal);
    if (response.status === 401) token.refused(bearer);
    if (!response.ok) throw refusalOf(response, await textOf(response, ANSWER_BYTES_MAX));
    // Nothing more: the run is over.
    if (response.status === 204 || response.body === null) return void (yield [END, []]);
    const events = new EventReader(lastId);
    const bytes = response.body.getReader();
    for (;;) {
      const { done, value } = await bytes.read();
      if (done) return;
      deadline.restart();
      const read = events.read(value);
      yield [events.lastId, read];
    }
  } catch (failure) {
    throw deadline.meaningOf(failure);
  } finally {
    deadline.end();
  }
}
