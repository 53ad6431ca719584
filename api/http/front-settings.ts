// How the HTTP front presents itself to browsers and proxies.

import type { TrustProxy } from './client-address.ts';

export interface FrontSettings {
  readonly trustProxy: TrustProxy;
  /** Whether customers reach the service by https. If so, responses carry HSTS and cookies are `Secure`. */
  readonly https: boolean;
  /** Pages that may call the API from a browser: none, any (without cookies), or those of these origins. */
  readonly corsOrigins: 'none' | 'any' | ReadonlySet<string>;
  /** Origin of PUBLIC_URL. Its pages, and those of the request's own host, count as ours. */
  readonly publicOrigin?: string;
}

export const PLAIN_FRONT: FrontSettings = { trustProxy: { kind: 'none' }, https: false, corsOrigins: 'none' };
