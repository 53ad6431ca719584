// The delivery log of an endpoint, and the result of a test.

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
          statusCode: nullable(Type.Integer({ description: 'Null if there was no response.' })),
          latencyMs: Type.Number({ description: 'From the start of the attempt to the end of the response.' }),
          createdAt: Type.String(),
          responseBody: nullable(
            Type.String({ description: 'First KiB of the response body; null if there was no response.' }),
          ),
          feedId: Type.String(),
          mode: choice(['live', 'replay', 'test']),
          sequence: Type.Integer(),
          attempt: Type.Integer(),
          errorMessage: nullable(Type.String({ description: 'Why there was no response.' })),
        },
        { title: 'DeliveryLogEntry' },
      ),
    ),
    nextCursor: nullable(Type.String({ description: 'Cursor of the next, older page; null on the last page.' })),
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
