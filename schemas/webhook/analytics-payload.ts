// The payload of a feed that a model makes. What a customer must know to trust its numbers is part of its description, and so of
// the documentation: how they are made, where they end, and how good they were when what happened could be compared.

import type Type from 'typebox';
import { Payload } from './envelope.ts';
import type { FeedId } from './feeds.ts';

interface Model {
  /** What it tells, and when. */
  readonly tells: string;
  readonly method: string;
  readonly limits: string;
  /** Quality beside a baseline, as `npm run bench -- models` measures it; or why there is none. */
  readonly measured: string;
}

export function AnalyticsPayload<Content extends Type.TProperties>(
  feedId: Extract<FeedId, `analytics.${string}`>,
  { tells, method, limits, measured }: Model,
  content: Content,
) {
  return Payload(feedId, `${tells} Method: ${method} Limits: ${limits} Measured: ${measured}`, content);
}
