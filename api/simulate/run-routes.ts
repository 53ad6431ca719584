// Replays: start, stop, list and show.

import Type, { type Static } from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import type { EventChannel } from '#api/http/event-channel.ts';
import { bearerOperation, type Caller, type Operation, reply } from '#api/http/operation.ts';
import { pageOf } from '#api/http/page.ts';
import type { WebhookStore } from '#api/webhooks/webhook-store.ts';
import { isId } from '#engine/base/ids.ts';
import { RUN_ENDPOINTS_LISTED_MAX, SSE_RETRY_MS } from '#engine/base/limits.ts';
import { pageQuery } from '#schemas/http/page.ts';
import {
  ReplayRequest,
  RUN_FILTERS,
  RunAnswer,
  RunControlled,
  RunList,
  RunStarted,
  RunStopped,
  SeekRequest,
  StopQuery,
  StreamQuery,
} from '#schemas/http/runs.ts';
import { parseLastEventId } from './last-event-id.ts';
import { orderOfBody, orderOfQuery, type ReplayOrder } from './replay-order.ts';
import type { Returns } from './returns.ts';
import { type Controlled, type RunControl, shownState } from './run-control.ts';
import { activeEndpoints } from './run-endpoints.ts';
import type { RunRecord, RunState, RunStore } from './run-store.ts';
import type { Replay, Runs } from './runs.ts';
import type { SessionAccess } from './session-access.ts';

/** Resends are stopped with the same operation. */
interface StoppedResends {
  /** Null if this is no resend in progress. */
  stop(accountId: string, runId: string): Promise<RunState | null>;
}

type RunOperation = 'start' | 'startDetached' | 'stop' | 'pause' | 'resume' | 'seek' | 'list' | 'get';

const START_REFUSALS = [
  'not_found',
  'out_of_season',
  'not_prepared',
  'preparing',
  'replay_running',
  'simulate_quota_reached',
  'endpoint_inactive',
  'no_active_endpoint',
] as const;

export function runRoutes(
  runs: Runs,
  store: RunStore,
  access: SessionAccess,
  resends: StoppedResends,
  returns: Returns,
  control: RunControl,
  webhooks: Pick<WebhookStore, 'activeIds'>,
): Readonly<Record<RunOperation, Operation>> {
  const shown = (
    run: RunRecord,
    active: ReadonlySet<string>,
    { endpointCount, activeCount } = countsOf(run, active),
  ): Static<typeof RunAnswer>['data'] => ({
    runId: run.runId,
    kind: run.kind,
    resend: run.resend,
    sessionId: run.sessionId,
    speed: run.speed,
    sinks: run.sinks,
    state: shownState(run),
    ...(run.ordered === true && { ordered: true }),
    position: runs.positionOf(run),
    updateCount: run.updateCount,
    startedAt: run.startedAt.toISOString(),
    endedAt: run.endedAt?.toISOString() ?? null,
    activeEndpoints: activeCount,
    pausedEndpoints: endpointCount - activeCount,
    endpoints: run.endpoints.map((endpoint) => {
      const skipped = Object.values(endpoint.skipped).reduce((sum, count) => sum + count, 0);
      const isActive = active.has(endpoint.webhookId);
      return {
        ...endpoint,
        active: isActive,
        pending: endpoint.matched - endpoint.delivered - endpoint.failed - skipped,
      };
    }),
  });

  /** A replay without a stream: it goes on when the caller has left. */
  const startDetached = async (caller: Caller, sessionId: string, order: ReplayOrder) => {
    const session = await access.findInSeason(sessionId, caller);
    const { show, forecast, ...started } = await runs.start(caller, session, order);
    return reply({ data: { ...started, ...forecast! } }, 202);
  };

  return {
    start: bearerOperation(
      {
        summary: 'Replay a session',
        query: StreamQuery,
        answer: RunStarted,
        statuses: [202],
        events: true,
        nothing: 'The run of this event stream is over (with `Last-Event-ID`).',
        reads: ['last-event-id', 'authorization'],
        refuses: START_REFUSALS,
        startsSomething: true,
      },
      async ({ query, caller, headers }) => {
        const order = orderOfQuery(query);
        const { sinks } = order;
        if (sinks === 'webhook') return startDetached(caller, query.session, order);
        const session = await access.findInSeason(query.session, caller);
        const shownBy = (show: Replay['show']) => ({
          kind: 'events' as const,
          open: (channel: EventChannel) => show(channel, headers.authorization!),
        });
        const seen = parseLastEventId(headers['last-event-id']!);
        if (seen !== null) {
          const back = await returns.find(caller, session, order, seen);
          if (back?.kind === 'over') return { kind: 'nothing' };
          if (back?.kind === 'later') return { kind: 'events', open: comeAgain };
          if (back?.kind === 'show') return shownBy(back.show);
        }
        const from = seen === null ? order.from : () => Number(seen);
        const { show } = await runs.start(caller, session, { ...order, from });
        return shownBy(show);
      },
    ),

    startDetached: bearerOperation(
      {
        summary: 'Replay a session to endpoints',
        body: ReplayRequest,
        answer: RunStarted,
        statuses: [202],
        refuses: START_REFUSALS,
      },
      async ({ body, caller }) => startDetached(caller, body.sessionId, orderOfBody(body)),
    ),

    stop: bearerOperation(
      {
        summary: 'Stop a replay or a resend',
        query: StopQuery,
        answer: RunStopped,
        statuses: [200, 202],
        refuses: ['not_found'],
      },
      async ({ query, caller }) => {
        const resent = await resends.stop(caller.accountId, query.runId);
        const state = resent ?? (await runs.stop(caller.accountId, query.runId));
        const over = state === 'stopped' || state === 'completed';
        return reply({ data: { runId: query.runId, state } }, over ? 200 : 202);
      },
    ),

    pause: bearerOperation(
      {
        summary: 'Pause a replay',
        answer: RunControlled,
        statuses: [200, 202],
        refuses: ['not_found', 'not_a_replay', 'not_running'],
      },
      async ({ params, caller }) => controlled(await control.pause(caller.accountId, params.runId!)),
    ),

    resume: bearerOperation(
      {
        summary: 'Continue a paused replay',
        answer: RunControlled,
        statuses: [200, 202],
        refuses: ['not_found', 'not_a_replay', 'not_running', 'not_paused'],
      },
      async ({ params, caller }) => controlled(await control.resume(caller.accountId, params.runId!)),
    ),

    seek: bearerOperation(
      {
        summary: 'Move a replay to another place of its session',
        body: SeekRequest,
        answer: RunControlled,
        statuses: [200, 202],
        refuses: ['not_found', 'not_a_replay', 'not_running', 'not_prepared', 'seek_back'],
      },
      async ({ params, body, caller }) => controlled(await control.seek(caller.accountId, params.runId!, body)),
    ),

    list: bearerOperation(
      {
        summary: 'List the replays and resends',
        query: Type.Object({ ...pageQuery(100).properties, ...RUN_FILTERS }),
        answer: RunList,
      },
      async ({ query, caller }) => {
        const { limit, offset } = pageOf(query);
        const active = await activeEndpoints(webhooks, caller);
        const max = Math.floor(RUN_ENDPOINTS_LISTED_MAX / limit);
        const [records, total] = await Promise.all([
          store.list(caller.accountId, limit, offset, { max, active }, query),
          store.count(caller.accountId, query),
        ]);
        return reply({ data: { runs: records.map((run) => shown(run, active, run)), total, limit, offset } });
      },
    ),

    get: bearerOperation(
      { summary: 'Read the progress of a replay or a resend', answer: RunAnswer },
      async ({ params, caller }) => {
        const runId = params.runId!;
        const run = isId('run', runId) ? await store.find(caller.accountId, runId) : null;
        if (run === null) throw new ApiError('not_found', 'There is no such run: GET /v1/simulate/runs lists yours.');
        return reply({ data: shown(run, await activeEndpoints(webhooks, caller)) });
      },
    ),
  };
}

function countsOf({ endpoints }: RunRecord, active: ReadonlySet<string>) {
  const activeCount = endpoints.filter(({ webhookId }) => active.has(webhookId)).length;
  return { endpointCount: endpoints.length, activeCount };
}

function controlled({ isDone, ...data }: Controlled) {
  return reply({ data }, isDone ? 200 : 202);
}

/** An empty stream, after which clients ask again. */
function comeAgain(channel: EventChannel): void {
  channel.write(Buffer.from(`retry: ${SSE_RETRY_MS}\n\n`));
  channel.end();
}
