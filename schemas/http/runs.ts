// Replay runs: start, show, list and stop.

import Type, { type Static } from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data, PAGE_PLACE } from './page.ts';
import { REPLAY_SPEED_MAX, REPLAY_SPEED_MIN } from './replay-speed.ts';
import { sessionFilter } from './session-filter.ts';

const SPEED = Type.Number({
  minimum: REPLAY_SPEED_MIN,
  maximum: REPLAY_SPEED_MAX,
  description: 'Multiple of real time. Default: 1.',
});

/** Where a replay begins: one of them at most. */
const START_PLACE = {
  sequence: Type.Optional(Type.Integer({ minimum: 1, description: 'Begin with this update. Default: the first one.' })),
  lap: Type.Optional(Type.Integer({ minimum: 1, description: 'Begin where the leader begins this lap.' })),
  time: Type.Optional(Type.String({ description: 'Begin at a time of the session, ISO 8601.' })),
  seconds: Type.Optional(Type.Number({ minimum: 0, description: 'Begin so many seconds into the session.' })),
};

const ORDERED = 'Each endpoint gets one update at a time, in order, and later ones wait for its retries.';

export const StreamQuery = Type.Object({
  session: Type.String({ description: 'Id of the session, such as `demo-race`.' }),
  speed: Type.Optional(SPEED),
  sinks: Type.Optional(
    choice(
      ['visual', 'webhook', 'both'],
      'visual: to the caller, as server-sent events. webhook: to endpoints. both: to both. Default: visual.',
    ),
  ),
  ordered: Type.Optional(choice(['true', 'false'], `${ORDERED} \`true\` not with \`sinks=visual\`.`)),
  webhookIds: Type.Optional(
    Type.String({
      description: 'The endpoints that get it, joined by commas. Default: all of the account. Not with `sinks=visual`.',
    }),
  ),
  ...START_PLACE,
});

/** A replay to endpoints that goes on without its caller. */
export const ReplayRequest = Type.Object(
  {
    sessionId: Type.String({ description: 'A prepared session.' }),
    speed: Type.Optional(SPEED),
    ordered: Type.Optional(Type.Boolean({ description: ORDERED })),
    webhookIds: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'The endpoints that get it: 100 at most. Default: all of the account.',
      }),
    ),
    ...START_PLACE,
  },
  { additionalProperties: false, title: 'ReplayRequest' },
);

/** Filters of the list of runs; all that are given apply. */
export const RUN_FILTERS = {
  state: Type.Optional(choice(['running', 'paused', 'stopping', 'stopped', 'completed'], 'Runs in this state.')),
  session: sessionFilter('Replays of this session.'),
  sinks: Type.Optional(choice(['visual', 'webhook', 'both'], 'Runs with these sinks.')),
};

export const StopQuery = Type.Object({ runId: Type.String({ description: 'Id of the run.' }) });

const RunState = choice(
  ['running', 'paused', 'stopping', 'stopped', 'completed'],
  'completed: played to its end. stopping: stopped, and its attempts under way are ending.',
);

export const RunStarted = data(
  Type.Object({
    runId: Type.String({ description: 'Id of the run.' }),
    sessionId: Type.String({ description: 'Id of the session.' }),
    speed: Type.Number({ description: "Multiple of the session's own pace." }),
    updateCount: Type.Integer({ description: 'Number of updates of the session.' }),
    endpoints: Type.Integer({ description: 'Number of endpoints in the run, including paused ones.' }),
    activeEndpoints: Type.Integer({ description: 'Those of them that get deliveries now.' }),
    pausedEndpoints: Type.Integer({ description: 'The others: paused, or not covered by the plan.' }),
    webhookIds: Type.Optional(
      Type.Array(Type.String(), { description: 'The endpoints that the start has chosen. Absent without a choice.' }),
    ),
    expectedDeliveries: Type.Integer({
      description: 'Updates that match the endpoints as they are now, summed over the endpoints. Retries come on top.',
    }),
    deliveriesLeft: nullable(
      Type.Integer({
        description:
          'Deliveries that the account has left this month; of the demo session for the demo session. Null: no limit.',
      }),
    ),
    warning: nullable(
      Type.String({ description: 'Says so when the replay has more deliveries than are left this month.' }),
    ),
  }),
);

/** Exactly one of them. */
export const SeekRequest = Type.Object(
  {
    sequence: Type.Optional(Type.Integer({ minimum: 1, description: 'The next update to play.' })),
    lap: Type.Optional(Type.Integer({ minimum: 1, description: 'To where the leader begins this lap.' })),
    time: Type.Optional(Type.String({ description: 'A time of the session, ISO 8601.' })),
    seconds: Type.Optional(Type.Number({ minimum: 0, description: 'Seconds since the beginning of the session.' })),
  },
  { additionalProperties: false, description: 'Exactly one of the four.' },
);

export const RunControlled = data(
  Type.Object({
    runId: Type.String({ description: 'Id of the run.' }),
    state: RunState,
    position: Type.Integer({ description: 'Number of updates played or jumped over so far.' }),
  }),
);

export const RunStopped = data(Type.Object({ runId: Type.String({ description: 'Id of the run.' }), state: RunState }));

const ResentUpdates = Type.Object({
  webhookId: Type.String({ description: 'Id of the endpoint.' }),
  runId: nullable(Type.String({ description: 'The replay that they are of; null for live delivery of the session.' })),
  updates: Type.Integer({ description: 'How many matched when the resend began.' }),
});

const Run = Type.Object(
  {
    runId: Type.String({ description: 'Id of the run.' }),
    kind: choice(['replay', 'resend'], 'resend: updates of an earlier run, sent once more to one endpoint.'),
    resend: Type.Unsafe<Static<typeof ResentUpdates> | null>({
      ...ResentUpdates,
      type: ['object', 'null'],
      description: 'What a resend sends; null for a replay.',
    }),
    sessionId: Type.String({ description: 'Id of the session.' }),
    speed: Type.Number({ description: "Multiple of the session's own pace." }),
    sinks: choice(
      ['visual', 'webhook', 'both'],
      'visual: to the caller, as server-sent events. webhook: to endpoints. both: to both.',
    ),
    state: RunState,
    ordered: Type.Optional(
      Type.Boolean({ description: 'Each endpoint gets one update at a time. Absent if it is not so.' }),
    ),
    position: Type.Integer({ description: 'Number of updates played so far.' }),
    updateCount: Type.Integer({ description: 'Number of updates of the session.' }),
    startedAt: Type.String({ description: 'When the run started, ISO 8601.' }),
    endedAt: nullable(Type.String({ description: 'When the run ended, ISO 8601; null while it runs.' })),
    activeEndpoints: Type.Integer({ description: 'How many of its endpoints get deliveries now.' }),
    pausedEndpoints: Type.Integer({ description: 'The others: paused, deleted, or not covered by the plan.' }),
    endpoints: Type.Array(
      Type.Object({
        webhookId: Type.String({ description: 'Id of the endpoint.' }),
        active: Type.Boolean({ description: 'Whether it gets deliveries now.' }),
        matched: Type.Integer({ description: 'Updates that matched a subscription so far.' }),
        delivered: Type.Integer({ description: 'Updates that were answered with a 2xx.' }),
        failed: Type.Integer({ description: 'Updates whose four attempts failed.' }),
        skipped: Type.Unsafe<Readonly<Record<string, number>>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'Updates skipped on purpose, by reason.',
        }),
        pending: Type.Integer({ description: 'Updates that wait for their first attempt, or for the next one.' }),
        breaker: choice(
          ['closed', 'open'],
          'open: the circuit breaker has paused the endpoint after 20 failed attempts in a row.',
        ),
        lagMs: Type.Integer({
          description: 'From when the last update that was started was due to its first attempt, in milliseconds.',
        }),
      }),
      {
        description:
          'The endpoints that take part; none with `sinks=visual`. A list shows 10,000 on a page at most, as many of each run.',
      },
    ),
  },
  { title: 'Run' },
);

export const RunAnswer = data(Run);
export const RunList = data(
  Type.Object({ runs: Type.Array(Run, { description: 'The runs of this page, the latest first.' }), ...PAGE_PLACE }),
);
