// The delivery log of an endpoint, and the result of a test.

import Type from 'typebox';
import { choice } from './choice.ts';
import { FAILURE_CODES } from './failure-code.ts';
import { nullable } from './nullable.ts';
import { data } from './page.ts';
import { sessionFilter } from './session-filter.ts';

const Time = (description: string) => Type.Optional(Type.String({ description }));

export const LogQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Entries on a page. Default: 50.' })),
  cursor: Type.Optional(Type.String({ description: 'The nextCursor of an earlier answer.' })),
  outcome: Type.Optional(choice(['delivered', 'failed'], 'Attempts that ended so.')),
  status: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: 'Attempts that were answered with this HTTP status.' }),
  ),
  feed: Type.Optional(Type.String({ description: 'Attempts of this feed, by its feedId.' })),
  run: Type.Optional(Type.String({ description: 'Attempts of this run, by its runId.' })),
  session: sessionFilter('Attempts of all runs of this session, live and replayed.'),
  delivery: Type.Optional(
    Type.String({ description: 'Attempts of this delivery, by its id: the webhook-id of the request.' }),
  ),
  mode: Type.Optional(choice(['live', 'replay', 'test'], 'Attempts of this mode.')),
  since: Time('Attempts that started at or after this time, ISO 8601.'),
  until: Time('Attempts that started before this time, ISO 8601.'),
});

const LOG_ENTRY = {
  logId: Type.String({ description: 'Id of the entry.' }),
  webhookId: Type.String({ description: 'Id of the endpoint.' }),
  statusCode: nullable(Type.Integer({ description: 'Null if there was no response.' })),
  latencyMs: Type.Number({ description: 'From the start of the attempt to the end of the response.' }),
  createdAt: Type.String({ description: 'When the attempt started.' }),
  responseBody: nullable(
    Type.String({ description: 'First KiB of the response body; null if there was no response.' }),
  ),
  deliveryId: nullable(
    Type.String({
      description: 'As in the header X-Service-Delivery-Id. Null once the run is no longer kept.',
    }),
  ),
  feedId: Type.String({ description: 'Id of the feed.' }),
  sessionId: nullable(Type.String({ description: 'Null for tests, and once the run is no longer kept.' })),
  runId: nullable(Type.String({ description: 'Null for tests, and once the run is no longer kept.' })),
  mode: choice(['live', 'replay', 'test'], 'How the update was sent.'),
  sequence: Type.Integer({
    description:
      'Place of the update in its session, from 1; 0 for tests. Of a snapshot: the last update that it covers.',
  }),
  snapshot: Type.Boolean({ description: 'Whether it is a snapshot, and not an update.' }),
  attempt: Type.Integer({ description: '1 to 4. An update has failed when its attempt 4 has.' }),
  outcome: choice(['delivered', 'failed'], 'How this attempt ended: delivered if it was answered with a 2xx.'),
  failureCode: nullable(
    choice(
      ['http_status', ...FAILURE_CODES],
      'Why the attempt failed. http_status: it was answered, but not with a 2xx. The others: there was no complete ' +
        'response. Null: delivered, or an old entry without a response.',
    ),
  ),
  errorMessage: nullable(Type.String({ description: 'Why there was no response.' })),
  lagMs: nullable(
    Type.Number({
      description:
        'From when the update was due to the end of the attempt: waiting, earlier attempts and their delays included. ' +
        'Null for tests and in old entries.',
    }),
  ),
};

export const LogEntry = Type.Object(LOG_ENTRY, { title: 'DeliveryLogEntry' });

export const LogPage = data(
  Type.Object({
    logs: Type.Array(LogEntry, { description: 'The attempts of this page, the latest first.' }),
    nextCursor: nullable(
      Type.String({
        description:
          'Cursor of the next, older page; null on the last page. With filters a page may have fewer entries than the ' +
          'limit, or none, and a cursor nevertheless: each request searches a bounded part of the log.',
      }),
    ),
  }),
);

export const LoggedRequest = Type.Object(
  {
    method: choice(['POST', 'PUT'], 'HTTP method of the request.'),
    url: Type.String({ description: 'Where the request went.' }),
    headers: Type.Unsafe<Readonly<Record<string, string | null>> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: ['string', 'null'] },
      description: 'By name. Null: cannot be made again. Values of headers of your own are not shown.',
    }),
    body: nullable(Type.String({ description: 'The raw body. Null: cannot be made again.' })),
  },
  { description: 'The request as it was sent, made again.' },
);

export const LogNote = Type.Object({
  part: choice(['url', 'headers', 'body', 'signatures'], 'What the note is about.'),
  reason: choice(
    [
      'endpoint_changed',
      'run_removed',
      'test_sample',
      'updates_not_at_hand',
      'updates_changed',
      'made_from_recording',
      'secret_gone',
      'secret_changing',
    ],
    'Why, for programs. The docs explain each.',
  ),
  text: Type.String({ description: 'For people. The wording may change.' }),
});

export const LogDetail = data(
  Type.Object(
    {
      ...LOG_ENTRY,
      request: LoggedRequest,
      response: nullable(
        Type.Object(
          {
            statusCode: Type.Integer({ description: 'HTTP status of the response.' }),
            body: Type.String({ description: 'Its first KiB.' }),
          },
          { description: 'Null if there was none.' },
        ),
      ),
      notes: Type.Array(LogNote, {
        description:
          'What of the request could not be made again, or may differ from what was sent. Empty: it is what was sent, ' +
          'byte for byte, but for the values of headers of your own.',
      }),
    },
    { title: 'DeliveryLogDetail' },
  ),
);

export const TestAnswer = data(
  Type.Object({
    delivered: Type.Boolean({ description: 'Whether the answer was a 2xx.' }),
    statusCode: nullable(Type.Integer({ description: 'HTTP status of the response.' })),
    latencyMs: Type.Number({
      description: 'From the start of the attempt to the end of the response, in milliseconds.',
    }),
    errorMessage: nullable(Type.String({ description: 'Why there was no response; null if there was one.' })),
  }),
);
