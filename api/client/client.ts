// The client: every call of the API by its name, and streams of updates.

import type { GrantedToken } from './access-token.ts';
import { CALL_TIMEOUT_MS, RETRIES_MAX } from './bounds.ts';
import { type CallOptions, type CallShape, Calls } from './calls.ts';
import { Service, type TokenSource } from './service.ts';
import { type StreamRequest, type Update, UpdateStream } from './stream.ts';

export type ClientOptions = CommonOptions &
  (
    | { readonly clientId: string; readonly clientSecret: string }
    /**
     * For pages, which must not hold a secret: called whenever a token is needed, and asks the page's own server for
     * one. Its errors reach the caller.
     */
    | { readonly token: () => Promise<GrantedToken> }
  );

interface CommonOptions {
  /** Where the API is, with its version: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** How long each request of a call may take. Default: 30,000. */
  readonly timeoutMs?: number;
  /** How often a call is sent again after 429 or 503. Default: 2. */
  readonly retries?: number;
}

export class SlipstreamClient extends Calls {
  readonly #service: Service;

  constructor(options: ClientOptions) {
    super();
    const { baseUrl, timeoutMs = CALL_TIMEOUT_MS, retries = RETRIES_MAX } = options;
    const source = sourceOf(options);
    if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) throw new TypeError('timeoutMs must be above 0');
    if (!(Number.isInteger(retries) && retries >= 0)) throw new TypeError('retries must be a whole number, 0 or more');
    this.#service = new Service({ baseUrl: parsedBaseUrl(baseUrl), source, timeoutMs, retries });
  }

  /**
   * The updates of a session or replay, each once and in order, live or recorded. The stream resumes by itself after any
   * disconnect. The iterator ends when the session or replay is over, and throws when the service refuses the stream or
   * ends it for good.
   */
  stream(request: StreamRequest): AsyncGenerator<Update, void, undefined> {
    return new UpdateStream(this.#service, request).updates();
  }

  protected override async call(
    { method, path, takesBody }: CallShape,
    request: Readonly<Record<string, unknown>>,
    { signal }: CallOptions = {},
  ): Promise<unknown> {
    const rest = { ...request };
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const segment = segmentOf(name, rest[name]);
      delete rest[name];
      return segment;
    });
    const input = takesBody ? { query: {}, body: rest } : { query: rest };
    return unwrapped(await this.#service.call({ method, path: filled, ...input }, signal));
  }
}

function sourceOf(options: ClientOptions): TokenSource {
  if ('clientId' in options) {
    const { clientId, clientSecret } = options;
    if (clientId && clientSecret) return { kind: 'credentials', clientId, clientSecret };
  } else if (typeof options.token === 'function') {
    return { kind: 'program', token: options.token };
  }
  throw new TypeError('clientId and clientSecret are needed');
}

/** `.` and `..` would lead to another path, however they are written. */
function segmentOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be an id`);
  return encodeURIComponent(value);
}

/** Most answers are `{ data: ... }`, which says nothing more. */
function unwrapped(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const keys = Object.keys(answer);
  return keys.length === 1 && keys[0] === 'data' ? (answer as { readonly data: unknown }).data : answer;
}

/** Errors name the address without what may be secret in it. */
function parsedBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError('baseUrl is not a URL');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('baseUrl must be an https or http URL');
  if (url.username !== '' || url.password !== '') throw new TypeError('baseUrl must have no user name or password');
  const path = url.pathname.replace(/\/+$/, '');
  if (!path.endsWith('/v1') || url.search !== '' || url.hash !== '') throw new TypeError('baseUrl must end in /v1');
  return `${url.origin}${path}`;
}
