// What the OpenAPI document needs to know of the service that it describes.

import type { Feed } from '#schemas/webhook/feeds.ts';

export interface DocumentSettings {
  /** Where the API is, `/v1` included and without a slash at the end: absolute, or relative to the document's host. */
  readonly serverUrl: string;
  /** Begins the header names of a delivery. */
  readonly headerPrefix: string;
  /** The feeds that are offered. */
  readonly feeds: readonly Pick<Feed, 'feedId'>[];
}
