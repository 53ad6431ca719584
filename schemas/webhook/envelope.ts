// The fields that every payload begins with.

import Type from 'typebox';
import { FEED_STATES } from './feed-states.ts';
import type { FeedId } from './feeds.ts';

const Snapshot = Type.Optional(
  Type.Literal(true, {
    description:
      "This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for " +
      'endpoints with the option `snapshot`.',
  }),
);

/** Returns the schema of a feed's payload: the envelope, then the feed's own content. */
export function Payload<const Feed extends FeedId, Content extends Type.TProperties>(
  feedId: Feed,
  description: string,
  content: Content,
) {
  return Type.Object(
    {
      feed: Type.Literal(feedId),
      seriesId: Type.String({ description: 'Id of the series: "f1".' }),
      sessionId: Type.String({ description: 'Id of the session: "2018-azerbaijan-race".' }),
      sequence: Type.Integer({
        minimum: 1,
        description: 'Number of this update in the session. Starts at 1 and has no gaps.',
      }),
      utc: Type.String({ description: 'When the timing source sent it: ISO 8601 in UTC, with milliseconds.' }),
      lap: Type.Optional(Type.Integer({ description: "The leader's current lap; absent if laps are not counted." })),
      ...(FEED_STATES[feedId].kind !== 'none' && { snapshot: Snapshot }),
      ...content,
    },
    { additionalProperties: false, description },
  );
}
