// How long the secret before the last rotation signs beside the new one.

import Type from 'typebox';
import { nullable } from './nullable.ts';
import { data } from './page.ts';

export const SecretOverlap = data(
  Type.Object({
    previousSecretUntil: nullable(
      Type.String({ description: 'Until when the old secret signs as well, ISO 8601; null if it does not.' }),
    ),
  }),
);
