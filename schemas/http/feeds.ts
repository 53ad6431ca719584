// The feed catalogue as customers see it.

import Type from 'typebox';
import { choice } from './choice.ts';
import { data, PAGE_PLACE } from './page.ts';

export const FeedList = data(
  Type.Object({
    feeds: Type.Array(
      Type.Object(
        {
          feedId: Type.String(),
          name: Type.String(),
          seriesId: Type.String(),
          availability: choice(['free', 'live', 'analytics']),
        },
        { title: 'Feed' },
      ),
    ),
    ...PAGE_PLACE,
  }),
);
