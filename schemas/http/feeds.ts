// The feed catalogue as customers see it.

import Type from 'typebox';
import { MATURITIES, MATURITY_DESCRIPTION } from '#schemas/webhook/maturity.ts';
import { choice } from './choice.ts';
import { ModelCard } from './model-card.ts';
import { data, PAGE_PLACE } from './page.ts';

export const FeedList = data(
  Type.Object({
    feeds: Type.Array(
      Type.Object(
        {
          feedId: Type.String({ description: 'Id of the feed.' }),
          name: Type.String({ description: 'What people call it.' }),
          seriesId: Type.String({ description: 'The series, such as `f1`.' }),
          availability: choice(
            ['free', 'live', 'analytics'],
            'The plan that opens it. free: every plan. live: Developer. analytics: Custom.',
          ),
          maturity: Type.Optional(choice(MATURITIES, `Of feeds that come from a model. ${MATURITY_DESCRIPTION}`)),
          model: Type.Optional(ModelCard),
        },
        { title: 'Feed' },
      ),
      { description: 'The feeds of this page.' },
    ),
    ...PAGE_PLACE,
  }),
);
