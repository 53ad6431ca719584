// Which web pages may call the API from a browser (CORS). None, unless the operator names them.

import { ApiError } from './api-error.ts';
import type { FrontSettings } from './front-settings.ts';
import type { HeaderList, UwsExchange } from './uws-exchange.ts';

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

  /** What the answer to this request tells the browser. Only until the request callback returns. */
  headersFor(exchange: UwsExchange): HeaderList {
    if (this.#origins === 'none') return NONE;
    const exposed = ['access-control-expose-headers', EXPOSED];
    // Anybody's page, but never with the cookies of whoever looks at it.
    if (this.#origins === 'any') return ['access-control-allow-origin', '*', ...exposed];
    const origin = exchange.header('origin');
    if (!this.#origins.has(origin)) return ['vary', 'Origin'];
    const allowed = ['access-control-allow-origin', origin, 'access-control-allow-credentials', 'true'];
    return ['vary', 'Origin', ...allowed, ...exposed];
  }

  /**
   * Refuses a request that somebody else's page sends in its visitor's name. Our cookie does not go with requests from other
   * sites, but it does with those from other hosts of ours, and any page could sign its visitor in to an account of its
   * choice. Browsers say where a request comes from in Sec-Fetch-Site, except to addresses without https, and in Origin;
   * clients that are no browser say neither. Only until the request callback returns.
   */
  refuseStrangers(exchange: UwsExchange): void {
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

  /** What the answer to a preflight request adds. Only until the request callback returns. */
  preflight(exchange: UwsExchange, allow: string): HeaderList {
    if (this.#origins === 'none' || exchange.header('access-control-request-method') === '') return NONE;
    return [
      ...['access-control-allow-methods', allow],
      ...['access-control-allow-headers', 'Authorization, Content-Type, X-Request-Id'],
      ...['access-control-max-age', String(PREFLIGHT_AGE_S)],
    ];
  }
}
