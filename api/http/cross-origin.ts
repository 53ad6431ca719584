// Which web pages may call the API from a browser (CORS): none, unless the operator lists them.

import { ApiError } from './api-error.ts';
import type { Exchange, HeaderList } from './exchange.ts';
import type { FrontSettings } from './front-settings.ts';

const EXPOSED = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';
const PREFLIGHT_AGE_S = 600;
const NONE: HeaderList = [];

export class CrossOrigin {
  readonly #origins: FrontSettings['corsOrigins'];
  readonly #publicOrigin: string | undefined;

  constructor({ corsOrigins, publicOrigin }: FrontSettings) {
    this.#origins = corsOrigins;
    this.#publicOrigin = publicOrigin;
  }

  /** The CORS headers of the response to this request. */
  headersFor(exchange: Exchange): HeaderList {
    if (this.#origins === 'none') return NONE;
    const exposed = ['access-control-expose-headers', EXPOSED];
    // Any page, but never with the visitor's cookies.
    if (this.#origins === 'any') return ['access-control-allow-origin', '*', ...exposed];
    const origin = exchange.header('origin');
    if (!this.#origins.has(origin)) return ['vary', 'Origin'];
    const allowed = ['access-control-allow-origin', origin, 'access-control-allow-credentials', 'true'];
    return ['vary', 'Origin', ...allowed, ...exposed];
  }

  /**
   * Refuses requests that a foreign page sends in its visitor's name. Browsers do not attach our cookie to requests
   * from other sites, but they do to requests from other hosts of our domain; and any page could sign its visitor in to
   * an account of its own. Browsers name the origin of a request in Sec-Fetch-Site (over https only) and in Origin;
   * other clients send neither.
   */
  refuseForeignPages(exchange: Exchange): void {
    const site = exchange.header('sec-fetch-site');
    if (site === 'same-origin' || site === 'none') return;
    const origin = exchange.header('origin');
    if (site === '' && (origin === '' || this.#isOwn(origin, exchange.headerLines('host')))) return;
    if (typeof this.#origins === 'object' && this.#origins.has(origin)) return;
    throw new ApiError('cross_site');
  }

  #isOwn(origin: string, host: string): boolean {
    return origin === this.#publicOrigin || origin === `http://${host}` || origin === `https://${host}`;
  }

  /** The additional headers of the response to a preflight request. */
  preflight(exchange: Exchange, allow: string): HeaderList {
    if (this.#origins === 'none' || exchange.header('access-control-request-method') === '') return NONE;
    return [
      ...['access-control-allow-methods', allow],
      ...['access-control-allow-headers', 'Authorization, Content-Type, Last-Event-ID, X-Request-Id'],
      ...['access-control-max-age', String(PREFLIGHT_AGE_S)],
    ];
  }
}
