// The service as the client reaches it: requests with a token, sent again where that helps.
//
// - 401: the token is renewed and the request sent once more.
// - 429 and 503: the request waits as long as the service asks, and is sent again, a few times. A POST or DELETE is sent
//   again after 429 only, which says that nothing was done. After 503 it may have been: a second POST would do it twice, and a
//   second DELETE would be told that there is nothing.

import { AccessToken, type GrantedToken } from './access-token.ts';
import { ANSWER_BYTES_MAX, RETRY_AFTER_S_MAX } from './bounds.ts';
import { Deadline, type HttpRequest, invalidAnswer, parsed, refusalOf, send, textOf } from './exchange.ts';
import { backoffMs, pause } from './pause.ts';
import { SlipstreamError } from './slipstream-error.ts';

/** Where the client's tokens come from: the service, for its credentials, or the program itself. */
export type TokenSource =
  | { readonly kind: 'credentials'; readonly clientId: string; readonly clientSecret: string }
  | { readonly kind: 'program'; readonly token: () => Promise<GrantedToken> };

export interface ServiceSettings {
  readonly baseUrl: string;
  readonly source: TokenSource;
  readonly timeoutMs: number;
  readonly retries: number;
}

export type Query = Readonly<Record<string, unknown>>;

export interface Call {
  readonly method: string;
  /** Below the base URL, with its variable parts filled in. */
  readonly path: string;
  readonly query: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** An event stream that has begun. The reader ends the deadline. */
export interface OpenStream {
  readonly response: Response;
  readonly deadline: Deadline;
  /** The service has ended the stream because its token is not valid any more: the next one gets another. */
  readonly refuseToken: () => void;
}

export class Service {
  readonly #settings: ServiceSettings;
  readonly #token: AccessToken;

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
    this.#token = new AccessToken(() => this.#fetchToken());
  }

  /** Returns the JSON of the answer; undefined if it has none. */
  call(call: Call, signal: AbortSignal | undefined): Promise<unknown> {
    return this.#authorized(signal, (token) =>
      this.#patiently(call.method, signal, () => this.#answer(this.#request(call, token), signal)),
    );
  }

  /** Opens an event stream. `silenceMs`: how long nothing may come. */
  openStream(query: Query, lastId: string, silenceMs: number, signal: AbortSignal | undefined): Promise<OpenStream> {
    const call = { method: 'GET', path: '/stream', query };
    const headers = { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) };
    const open = async (token: string): Promise<OpenStream> => {
      const request = this.#request(call, token);
      const deadline = new Deadline(silenceMs, signal);
      try {
        const response = await send({ ...request, headers: { ...request.headers, ...headers } }, deadline.signal);
        if (!response.ok) throw refusalOf(response, await textOf(response, ANSWER_BYTES_MAX));
        if (response.status !== 204 && !isEventStream(response)) throw invalidAnswer(response, 'is no event stream');
        return { response, deadline, refuseToken: () => this.#token.refused(token) };
      } catch (failure) {
        deadline.end();
        throw deadline.meaningOf(failure);
      }
    };
    return this.#authorized(signal, (token) => this.#patiently('GET', signal, () => open(token)));
  }

  /** Tries again after 429 and 503, as the head of this file says. */
  async #patiently<T>(method: string, signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt();
      } catch (error) {
        const ms = attempts > this.#settings.retries ? null : retryMs(error, method, attempts);
        if (ms === null) throw error;
        await pause(ms, signal);
      }
    }
  }

  /** Does the work with a token, and once more with another if the service refuses it. */
  async #authorized<T>(signal: AbortSignal | undefined, work: (token: string) => Promise<T>): Promise<T> {
    const token = await this.#token.get(signal);
    try {
      return await work(token);
    } catch (error) {
      if (!(error instanceof SlipstreamError) || error.status !== 401) throw error;
      this.#token.refused(token);
    }
    return work(await this.#token.get(signal));
  }

  #fetchToken(): Promise<GrantedToken> {
    const { source } = this.#settings;
    if (source.kind === 'program') return source.token();
    const { clientId, clientSecret } = source;
    const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const call = { method: 'POST', path: '/oauth', query: {}, body: grant };
    // A token more does no harm, so this POST is sent again after 503.
    return this.#patiently('GET', undefined, async () => {
      const answer = (await this.#answer(this.#request(call, null), undefined)) as Partial<GrantedToken> | undefined;
      const { access_token, expires_in } = answer ?? {};
      if (typeof access_token !== 'string' || !/^[\x21-\x7e]+$/.test(access_token) || !(Number(expires_in) > 0)) {
        const message = 'the answer to POST /oauth has no token';
        throw new SlipstreamError({ status: null, code: 'invalid_answer', message });
      }
      return { access_token, expires_in: Number(expires_in) };
    });
  }

  #request({ method, path, query, body }: Call, token: string | null): HttpRequest {
    const url = new URL(`${this.#settings.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return {
      method,
      url,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  }

  async #answer(request: HttpRequest, signal: AbortSignal | undefined): Promise<unknown> {
    const deadline = new Deadline(this.#settings.timeoutMs, signal);
    try {
      const response = await send(request, deadline.signal);
      const text = await textOf(response, ANSWER_BYTES_MAX);
      if (!response.ok) throw refusalOf(response, text);
      const answer = text === '' ? undefined : parsed(text);
      if (answer === undefined && text !== '') throw invalidAnswer(response, 'is not JSON');
      return answer;
    } catch (failure) {
      throw deadline.meaningOf(failure);
    } finally {
      deadline.end();
    }
  }
}

/** Methods of requests that may be done twice, and are answered the same. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'PATCH']);

/** When to try again, in milliseconds; null: not at all. */
function retryMs(error: unknown, method: string, attempts: number): number | null {
  if (!(error instanceof SlipstreamError)) return null;
  const { status, retryAfterS } = error;
  // A 429 without a time is a limit that waiting does not lift.
  if (status === 429 && retryAfterS === null) return null;
  if (status !== 429 && !(status === 503 && REPEATABLE.has(method))) return null;
  if (retryAfterS !== null && retryAfterS > RETRY_AFTER_S_MAX) return null;
  return Math.max((retryAfterS ?? 0) * 1000, backoffMs(attempts));
}

function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
}
