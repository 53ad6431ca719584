// The first step to a SignalR server: one HTTP request that negotiates the connection. The WebSocket reuses its headers
// and the cookies of its response, so that a load balancer sends both to the same machine.
//
// The library's own client waits without a limit for the body of a response, and cannot be stopped then.

import { HttpClient, type HttpRequest, HttpResponse } from '@microsoft/signalr';
import { LIVE_NEGOTIATION_BYTES_MAX } from '#engine/base/limits.ts';

export class SignalrNegotiation extends HttpClient {
  readonly #abort = new AbortController();
  #headers: Record<string, string> = {};
  #secrets: readonly string[] = [];

  /** The headers for the WebSocket: those of the latest negotiation (user agent, access token) and its cookies. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** The values of the cookies, which must not be logged. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  override async send(request: HttpRequest): Promise<HttpResponse> {
    const headers = { ...request.headers };
    let response: Response;
    try {
      response = await fetch(request.url!, {
        method: request.method!,
        headers,
        redirect: 'manual',
        signal: this.#abort.signal,
      });
    } catch (error) {
      throw new Error(causeOf(error));
    }
    const content = await boundedText(response);
    if (response.status !== 200)
      throw new Error(`the server responded with status ${response.status}${hint(response.status)}`);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]!);
    this.#secrets = cookies.map((cookie) => cookie.slice(cookie.indexOf('=') + 1));
    this.#headers = cookies.length === 0 ? headers : { ...headers, Cookie: cookies.join('; ') };
    return new HttpResponse(response.status, response.statusText, content);
  }

  /** Aborts the request under way, and every later one. */
  abort(): void {
    this.#abort.abort();
  }
}

function hint(status: number): string {
  if (status === 401 || status === 403) return '; check the access token';
  if (status >= 300 && status < 400) return ', which is a redirect; check the address';
  return status === 404 ? '; check the address' : '';
}

/** The cause behind a `fetch failed`. */
function causeOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: Error & { code?: string } };
  return cause?.message || cause?.code || message;
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > LIVE_NEGOTIATION_BYTES_MAX)
      throw new Error(`the response has over ${LIVE_NEGOTIATION_BYTES_MAX} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
