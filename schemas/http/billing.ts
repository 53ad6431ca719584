// Pages of the payment provider, and the answer to its events.

import Type from 'typebox';
import { data } from './page.ts';

export const PaymentPage = data(
  Type.Object({
    url: Type.String({ description: 'A page of the payment provider, for the browser of the customer.' }),
  }),
);

export const EventReceived = data(Type.Object({ received: Type.Boolean() }));
