// How the HTTP front presents itself to browsers and proxies.

import type { TrustProxy } from './client-address.ts';

export interface FrontSettings {
  readonly trustProxy: TrustProxy;
  /** Customers reach the service by https: browsers are told to stay with it, and cookies travel by it only. */
  readonly https: boolean;
  /** Web pages that may call the API from a browser: none, any without its cookies, or those of these origins. */
  readonly corsOrigins: 'none' | 'any' | ReadonlySet<string>;
  /** Origin of the address at which customers reach the service; without one its pages are those of the host that is asked. */
  readonly publicOrigin?: string;
}

export const PLAIN_FRONT: FrontSettings = { trustProxy: { kind: 'none' }, https: false, corsOrigins: 'none' };
