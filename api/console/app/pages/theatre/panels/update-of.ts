// Tells the type of an update's payload by its feed.

import type { FeedId, FeedPayloads } from '#api/client/payloads.ts';
import type { ShownUpdate } from '../show/fold.ts';

export type UpdateOf<Feed extends FeedId> = ShownUpdate & { readonly payload: FeedPayloads[Feed] };

export function isOf<Feed extends FeedId>(update: ShownUpdate, feed: Feed): update is UpdateOf<Feed> {
  return update.feed === feed;
}
