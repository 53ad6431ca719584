// Links to the payment provider's pages, and our response to its events.

import Type from 'typebox';
import { data } from './page.ts';

export const PaymentPage = data(
  Type.Object({
    url: Type.String({ description: "A page at the payment provider. Open it in the customer's browser." }),
  }),
);

export const EventReceived = data(Type.Object({ received: Type.Boolean({ description: 'Always true.' }) }));
