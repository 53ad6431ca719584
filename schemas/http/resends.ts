// Resends: which updates an endpoint is to get once more, and the run that sends them.

import Type from 'typebox';
import { choice } from './choice.ts';
import { data } from './page.ts';

export const ResendOrder = Type.Object(
  {
    deliveryId: Type.Optional(Type.String({ description: 'One delivery, by its id.' })),
    deliveryIds: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, description: 'Deliveries of one run, by their ids: 1,000 at most.' }),
    ),
    sessionId: Type.Optional(
      Type.String({ description: 'What the endpoint missed of the live delivery of this session.' }),
    ),
    runId: Type.Optional(Type.String({ description: 'What the endpoint missed of this run.' })),
    since: Type.Optional(
      Type.Union([Type.String(), Type.Integer()], {
        description:
          'The first update that is meant: its sequence, or a time (ISO 8601), which is compared with `utc` of the ' +
          'updates. Without it: from the beginning.',
      }),
    ),
    outcome: Type.Optional(
      choice(['failed', 'skipped'], 'failed: after four attempts. skipped: for a reason. Without it: both.'),
    ),
    reasons: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'Only what was skipped for these reasons, such as `paused` or `breaker_open`.',
      }),
    ),
    feedIds: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: 'Only updates of these feeds.' })),
  },
  { additionalProperties: false, title: 'ResendOrder' },
);

export const ResendStarted = data(
  Type.Object({
    runId: Type.String({ description: 'The run that sends the updates. It is listed and stopped like a replay.' }),
    webhookId: Type.String({ description: 'Id of the endpoint.' }),
    sessionId: Type.String({ description: 'Id of the session.' }),
    mode: choice(['live', 'replay'], 'The mode of the deliveries, as it was the first time.'),
    updates: Type.Integer({ description: 'How many updates match the present subscriptions and filters and go out.' }),
  }),
);
