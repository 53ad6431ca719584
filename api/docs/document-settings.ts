// What the OpenAPI document needs to know about the service.

import type { Feed } from '#schemas/webhook/feeds.ts';

export interface DocumentSettings {
  /** URL of the API, with `/v1` and without a trailing slash: absolute, or relative to the document's host. */
  readonly serverUrl: string;
  /** Whether clients reach it over https, perhaps through a proxy. */
  readonly https: boolean;
  /** Prefix of the delivery headers. */
  readonly headerPrefix: string;
  /** The feeds that this service offers. */
  readonly feeds: readonly Pick<Feed, 'feedId'>[];
}
