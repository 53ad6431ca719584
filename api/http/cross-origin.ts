// Which web pages may call the API from a browser (CORS). None, unless the operator names them.

import { ApiError } from './api-error.ts';
import type { FrontSettings } from './front-settings.ts';
import type { HeaderList, UwsExchange } from './uws-exchange.ts';

const EXPOSED = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';
const PREFLIGHT_AGE_S = 600;
const NONE: HeaderList = [];

export class CrossOrigin {
  readonly #origins: FrontSettings['corsOrigins'];

  constructor(origins: FrontSettings['corsOrigins']) {
    this.#origins = origins;
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
   * Refuses a request that a page of another site sends in its visitor's name. Cookies of ours do not go with it, but it
   * could sign the visitor in to an account of the page's choice. Only until the request callback returns.
   */
  refuseStrangers(exchange: UwsExchange): void {
    if (exchange.header('sec-fetch-site') !== 'cross-site') return;
    if (typeof this.#origins === 'object' && this.#origins.has(exchange.header('origin'))) return;
    throw new ApiError('cross_site');
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
