// The payload of an analytics feed. Its description, which is public documentation, says what customers need to judge
// the numbers: how they are made, what they leave out, and how good they were where results were available.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import type { FeedId } from './feeds.ts';
import { MATURITIES, MATURITY_DESCRIPTION, type Maturity } from './maturity.ts';

const MaturityField = Type.Unsafe<Maturity>({
  type: 'string',
  enum: [...MATURITIES],
  description: MATURITY_DESCRIPTION,
});

interface Model {
  /** What the feed reports, and when. */
  readonly reports: string;
  readonly method: string;
  readonly limits: string;
  /** Quality against a baseline, as measured by `npm run bench -- models`, or why it is not measured. */
  readonly measured: string;
}

export function AnalyticsPayload<
  const Feed extends Extract<FeedId, `analytics.${string}`>,
  Content extends Type.TProperties,
>(feedId: Feed, { reports, method, limits, measured }: Model, content: Content) {
  return Payload(feedId, `${reports} Method: ${method} Limits: ${limits} Measured: ${measured}`, {
    maturity: MaturityField,
    ...content,
  });
}
