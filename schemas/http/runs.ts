// Replay runs: starting one, watching it, stopping it.

import Type from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data, PAGE_PLACE } from './page.ts';

/** How many times faster than it happened a session can be replayed. */
export const REPLAY_SPEED_MAX = 10;

export const StreamQuery = Type.Object({
  session: Type.String(),
  speed: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: REPLAY_SPEED_MAX, description: 'Multiplier, 1 unless given.' }),
  ),
  sinks: Type.Optional(choice(['visual', 'webhook', 'both'])),
});

export const StopQuery = Type.Object({ runId: Type.String() });

const RunState = choice(['running', 'stopping', 'stopped', 'completed']);

export const RunStarted = data(
  Type.Object({
    runId: Type.String(),
    sessionId: Type.String(),
    speed: Type.Number(),
    updateCount: Type.Integer(),
    endpoints: Type.Integer({ description: 'Endpoints that take part, paused ones included.' }),
  }),
);

export const RunStopped = data(Type.Object({ runId: Type.String(), state: RunState }));

const Run = Type.Object(
  {
    runId: Type.String(),
    sessionId: Type.String(),
    speed: Type.Number(),
    sinks: choice(['visual', 'webhook', 'both']),
    state: RunState,
    position: Type.Integer({ description: 'Updates of the session that have been played.' }),
    updateCount: Type.Integer(),
    startedAt: Type.String(),
    endedAt: nullable(Type.String()),
    endpoints: Type.Array(
      Type.Object({
        webhookId: Type.String(),
        matched: Type.Integer(),
        delivered: Type.Integer(),
        failed: Type.Integer(),
        skipped: Type.Unsafe<Readonly<Record<string, number>>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'Updates not delivered on purpose, by reason.',
        }),
        pending: Type.Integer(),
        breaker: choice(['closed', 'open']),
        lagMs: Type.Integer(),
      }),
    ),
  },
  { title: 'Run' },
);

export const RunAnswer = data(Run);
export const RunList = data(Type.Object({ runs: Type.Array(Run), ...PAGE_PLACE }));
