// What became of deliveries: the log of an endpoint, and a test delivery.

import Type from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data } from './page.ts';

export const LogQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  cursor: Type.Optional(Type.String()),
});

export const LogPage = data(
  Type.Object({
    logs: Type.Array(
      Type.Object(
        {
          logId: Type.String(),
          webhookId: Type.String(),
          statusCode: nullable(Type.Integer({ description: 'Null when no answer came.' })),
          latencyMs: Type.Number({ description: 'From the start of the attempt to the end of the answer.' }),
          createdAt: Type.String(),
          responseBody: nullable(
            Type.String({ description: 'The first KiB of the answer; null when no answer came.' }),
          ),
          feedId: Type.String(),
          mode: choice(['live', 'replay', 'test']),
          sequence: Type.Integer(),
          attempt: Type.Integer(),
          errorMessage: nullable(Type.String({ description: 'Why no answer came.' })),
        },
        { title: 'DeliveryLogEntry' },
      ),
    ),
    nextCursor: nullable(Type.String({ description: 'For the next, older page; null at the end.' })),
  }),
);

export const TestAnswer = data(
  Type.Object({
    delivered: Type.Boolean(),
    statusCode: nullable(Type.Integer()),
    latencyMs: Type.Number(),
    errorMessage: nullable(Type.String()),
  }),
);
