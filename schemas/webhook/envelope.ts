// What every payload begins with, whatever its feed.

import Type from 'typebox';
import type { FeedId } from './feeds.ts';

/** A feed's payload: the envelope and the feed's own content. */
export function Payload<Content extends Type.TProperties>(feedId: FeedId, description: string, content: Content) {
  return Type.Object(
    {
      feed: Type.Literal(feedId),
      seriesId: Type.String({ description: 'Series: "f1".' }),
      sessionId: Type.String({ description: 'Session: "2018-azerbaijan-race".' }),
      sequence: Type.Integer({ minimum: 1, description: 'Place of this update in the session, from 1, without gaps.' }),
      utc: Type.String({ description: 'When the timing source said it: ISO 8601 in UTC, with milliseconds.' }),
      lap: Type.Optional(
        Type.Integer({ description: 'Lap that the leader is on; absent where laps are not counted.' }),
      ),
      ...content,
    },
    { additionalProperties: false, description },
  );
}
