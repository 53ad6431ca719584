// The service as pages reach it: the API with a token of the sign-in, and what only a signed-in page may ask for.
//
// The token lives in memory only. It is asked for with the session cookie, which no script can read, and lasts a quarter
// of an hour; so no secret is kept in a page.

import { AccessToken, type GrantedToken } from '#api/client/access-token.ts';
import { SlipstreamClient } from '#api/client/client.ts';
import { Deadline, parsed, refusalOf, send, textOf } from '#api/client/exchange.ts';
import { SERVICE_URL } from '../address.ts';

const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const ANSWER_MS_MAX = 30_000;

let onSignInEnded = (): void => {};

/** Calls back when a request is refused because the sign-in of the page is over. */
export function whenSignInEnds(run: () => void): void {
  onSignInEnded = run;
}

/** A request that the session cookie authenticates. Throws a SlipstreamError. */
export async function ask<Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
  const deadline = new Deadline(ANSWER_MS_MAX, undefined);
  try {
    const request = {
      method,
      url: new URL(`${SERVICE_URL}/v1${path}`),
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const response = await send(request, deadline.signal);
    const text = await textOf(response, ANSWER_BYTES_MAX);
    if (response.ok) return parsed(text) as Answer;
    const refusal = refusalOf(response, text);
    // Every token is asked for here, too: no request of a page is refused without it.
    if (refusal.code === 'not_signed_in') onSignInEnded();
    throw refusal;
  } catch (failure) {
    throw deadline.meaningOf(failure);
  } finally {
    deadline.end();
  }
}

const askToken = (): Promise<GrantedToken> => ask('POST', '/console/token');
const newService = (): SlipstreamClient => new SlipstreamClient({ baseUrl: `${SERVICE_URL}/v1`, token: askToken });

/** Every operation of the API, and streams of updates. */
export let service = newService();

/** For the requests that it does not make. */
export let token = new AccessToken(askToken);

/** Drops the token: another account may be signed in now, and no request of its pages may use the token of the one before. */
export function forgetToken(): void {
  service = newService();
  token = new AccessToken(askToken);
}
