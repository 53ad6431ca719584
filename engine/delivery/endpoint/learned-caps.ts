// What the in-flight caps of endpoints have learned, kept for their next runs. A far endpoint then starts with the slots
// and the connections that it needed last time, not with a few that take many round trips to grow.

import { LRUCache } from 'lru-cache';
import { LEARNED_CAPS_MAX } from '#engine/base/limits.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { InFlightCap, type Learned } from './in-flight-cap.ts';

export class LearnedCaps {
  /** By webhook. What was learned at another URL does not count. With `max`, it would take all its room at once. */
  readonly #learned = new LRUCache<string, Learned & { readonly url: string }>({
    maxSize: LEARNED_CAPS_MAX,
    sizeCalculation: () => 1,
  });

  /** `url`: where it was learned. */
  keep(webhookId: string, url: string, cap: InFlightCap): void {
    if (cap.learned !== null) this.#learned.set(webhookId, { ...cap.learned, url });
  }

  /** Returns a new cap, which starts with what an earlier one of this endpoint has learned. */
  capOf({ webhookId, url }: EndpointSettings): InFlightCap {
    const learned = this.#learned.get(webhookId);
    return new InFlightCap(learned?.url === url ? learned : null);
  }
}
