// One HTTP request and its answer, over fetch.

import { SlipstreamError } from './slipstream-error.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Ends a request, and the reading of its answer, when the program wants it or after a time. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #wish: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  /** The time begins now. `wish`: the program's own signal. */
  constructor(timeoutMs: number, wish: AbortSignal | undefined) {
    wish?.throwIfAborted();
    this.#timeoutMs = timeoutMs;
    this.#wish = wish;
    wish?.addEventListener('abort', this.#abort, { once: true });
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time begins anew. */
  restart(): void {
    this.hold();
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#abort();
    }, this.#timeoutMs);
  }

  /** The time stands still until `restart`. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  /** Nothing more is read: what is left of the answer would keep its connection. */
  end(): void {
    this.hold();
    this.#wish?.removeEventListener('abort', this.#abort);
    this.#abort();
  }

  /** What a failure means: the reason of the program's own signal, a timeout or a broken connection. */
  meaningOf(failure: unknown): unknown {
    if (this.#wish?.aborted === true) return this.#wish.reason;
    if (failure instanceof SlipstreamError) return failure;
    const [code, message] = this.#isLate
      ? ['timeout', `nothing came from the service for ${this.#timeoutMs} ms`]
      : ['no_answer', `the connection to the service failed: ${reasonOf(failure)}`];
    return new SlipstreamError({ status: null, code, message });
  }
}

/** Sends the request. Redirects are not followed: the next one's host would get the token. */
export function send({ url, ...request }: HttpRequest, signal: AbortSignal): Promise<Response> {
  return fetch(url, { ...request, redirect: 'manual', signal });
}

/** Returns the whole body. Throws if it has more than so many bytes. */
export async function textOf(response: Response, bytesMax: number): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > bytesMax) throw invalidAnswer(response, `has more than ${bytesMax} bytes`);
    text += decoder.decode(value, { stream: true });
  }
}

/** The error that the service answered with. */
export function refusalOf(response: Response, text: string): SlipstreamError {
  const { status } = response;
  const { error, code } = (parsed(text) ?? {}) as { readonly error?: unknown; readonly code?: unknown };
  if (typeof error !== 'string' || typeof code !== 'string') return invalidAnswer(response, `has the status ${status}`);
  return new SlipstreamError({
    status,
    code,
    message: error,
    requestId: response.headers.get('x-request-id'),
    retryAfterS: retryAfterS(response.headers.get('retry-after')),
  });
}

/** An answer that is not the service's: a proxy's, or one that was cut off. */
export function invalidAnswer(response: Response, what: string): SlipstreamError {
  return new SlipstreamError({
    status: response.status,
    code: 'invalid_answer',
    message: `the answer is not one of the service: it ${what}`,
    requestId: response.headers.get('x-request-id'),
    retryAfterS: retryAfterS(response.headers.get('retry-after')),
  });
}

/** Returns undefined for a text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A number of seconds or a date. */
function retryAfterS(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - Date.now()) / 1000));
}

/** Only the code: messages of fetch can quote headers, and so the token. */
function reasonOf(failure: unknown): string {
  const { cause, name } = failure as { readonly cause?: { readonly code?: unknown }; readonly name?: unknown };
  return typeof cause?.code === 'string' ? cause.code : String(name);
}
