// What a signed-in page of the console gets beside the API.

import Type from 'typebox';
import { choice } from './choice.ts';
import { data } from './page.ts';

const Count = Type.Union([Type.Integer(), Type.Null()], { description: 'Null: without a limit.' });

export const ConsoleToken = Type.Object({
  access_token: Type.String({ description: 'A bearer token, which ends with the sign-in.' }),
  token_type: Type.Literal('Bearer', { description: 'Always Bearer.' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
});

const Account = Type.Object({
  accountId: Type.String({ description: 'Id of the account.' }),
  email: Type.String({ description: 'The address of the account.' }),
  name: Type.Union([Type.String(), Type.Null()], { description: 'Display name.' }),
  clientId: Type.String({ description: 'Its client id. The secret is asked for when somebody wants to see it.' }),
  plan: choice(['free', 'developer', 'custom'], 'The plan of the account.'),
  terms: Type.Object(
    {
      opens: Type.Array(Type.String(), { description: 'Access classes of feeds.' }),
      endpoints: Count,
      feedsPerEndpoint: Count,
      deliveriesPerMonth: Count,
      past: choice(['skipped', 'billed'], 'What happens beyond the deliveries of the month.'),
      streams: Count,
      requestsPerHour: Count,
      simulateSlots: Count,
      previews: choice(['headline', 'full'], 'How much of a preview is shown.'),
      fantasy: Type.Boolean({ description: 'Whether fantasy scores are included.' }),
    },
    { description: 'What the plan includes.' },
  ),
  sellsPlans: Type.Boolean({ description: 'Whether plans can be bought here.' }),
});

/** Null: nobody is signed in. */
export const ConsoleAccount = data(Type.Union([Account, Type.Null()]));

export const ConsoleLive = data(
  Type.Object({ sessionIds: Type.Array(Type.String({ description: 'Id of a session that is live.' })) }),
);
