// What the console shows to somebody who chooses feeds and filters.

import Type from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data } from './page.ts';
import { WebhookCreation } from './webhooks.ts';

const { feedId, feedIds, subscriptions, filters } = WebhookCreation.properties;

/** What an endpoint would subscribe to, as in the request that makes it. */
export const MatchQuestion = Type.Object(
  {
    sessionId: Type.String({ description: 'A prepared session.' }),
    feedId,
    feedIds,
    subscriptions,
    filters,
  },
  { additionalProperties: false },
);

const Match = Type.Object({
  matches: Type.Integer({ description: 'How many updates the endpoint would get.' }),
  updates: Type.Integer({ description: 'How many were asked.' }),
  samples: Type.Array(
    Type.Object({
      sequence: Type.Integer({ description: 'Place of the update in its session.' }),
      feedId: Type.String({ description: 'Id of the feed.' }),
      body: Type.String({ description: 'The body of the delivery, or its beginning.' }),
      cut: Type.Boolean({ description: 'Whether it is the beginning only.' }),
    }),
    { description: 'A few of those that match, from all over the session.' },
  ),
  drivers: Type.Array(
    Type.Object({
      number: Type.String({ description: 'Racing number.' }),
      code: Type.String({ description: 'Three letters.' }),
      team: Type.String({ description: 'Name of the team.' }),
    }),
    { description: 'Who takes part in the session.' },
  ),
});

/** A refusal is no error here: people type filters letter by letter, and choose sessions that are not prepared yet. */
export const MatchAnswer = data(
  Type.Object({
    match: nullable(Match),
    refusal: nullable(
      Type.Object({
        code: Type.String({ description: 'For programs.' }),
        message: Type.String({ description: 'For people.' }),
      }),
    ),
  }),
);

export const FeedNotes = data(
  Type.Object({
    feeds: Type.Array(
      Type.Object({
        feedId: Type.String({ description: 'Id of the feed.' }),
        tells: Type.String({ description: 'What an update tells.' }),
        sent: Type.String({ description: 'When it is sent.' }),
        perMinute: Type.Union([Type.Number(), Type.Null()], {
          description: 'Updates a minute in the demo race; null if it has none.',
        }),
        filters: choice(['none', 'drivers', 'drivers and event types'], 'The filters that apply to it.'),
      }),
    ),
    eventTypes: Type.Array(Type.String(), { description: 'Those of events.race.' }),
  }),
);
