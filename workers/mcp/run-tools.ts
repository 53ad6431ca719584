// Runs: replays and resends with their progress, live delivery, and the control of replays.

import { setTimeout as pause } from 'node:timers/promises';
import Type from 'typebox';
import type { Run } from '#api/client/slipstream-client.ts';
import { MCP_LIVE_RUNS_MAX, MCP_LOOK_MS, MCP_RUNS_MAX, MCP_WAIT_S_MAX } from '#engine/base/limits.ts';
import { RUN_FILTERS, SeekRequest, StreamQuery } from '#schemas/http/runs.ts';
import { id, page, readingTool, writingTool } from './tool.ts';

const { speed, sequence, lap, time, seconds } = StreamQuery.properties;
const { state } = RUN_FILTERS;
const session = Type.Optional(Type.String({ description: 'Only those of this session.' }));

export const RUN_TOOLS = [
  readingTool({
    name: 'list_runs',
    title: 'List the replays and resends',
    description:
      'Lists replays and resends with their counts over all endpoints, the latest first. get_run has those of each.',
    operations: ['GET /simulate/runs'],
    input: { ...page(MCP_RUNS_MAX), state, session },
    async run(input, { client, signal }) {
      const { runs, ...place } = await client.listRuns(input, { signal });
      return { runs: runs.map(listed), ...place };
    },
  }),
  readingTool({
    name: 'get_run',
    title: 'Read the progress of a run',
    description:
      'Shows how far a replay or a resend is, and for each endpoint what matched, was delivered, failed, was skipped and ' +
      'why, and what is pending.',
    operations: ['GET /simulate/runs/{runId}'],
    input: { runId: id('runId') },
    run: (input, { client, signal }) => client.getRun(input, { signal }),
  }),
  readingTool({
    name: 'wait_for_run',
    title: 'Wait until a run ends',
    description: `Waits until a replay or a resend has ended, ${MCP_WAIT_S_MAX} seconds at most, and shows its progress. If ended is false, call again.`,
    operations: ['GET /simulate/runs/{runId}'],
    input: {
      runId: id('runId'),
      waitS: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MCP_WAIT_S_MAX,
          description: `Seconds, at most. Default: ${MCP_WAIT_S_MAX}.`,
        }),
      ),
    },
    async run({ runId, waitS = MCP_WAIT_S_MAX }, { client, signal }) {
      const untilMs = performance.now() + waitS * 1_000;
      for (;;) {
        const run = await client.getRun({ runId }, { signal });
        const leftMs = untilMs - performance.now();
        const ended = run.endedAt !== null;
        if (ended || leftMs <= 0) return { ended, ...run };
        await pause(Math.min(MCP_LOOK_MS, leftMs), undefined, { signal });
      }
    },
  }),
  readingTool({
    name: 'list_live_runs',
    title: 'List the live runs',
    description:
      'Shows what of each live session was delivered to the endpoints of the account, the latest session first: counts ' +
      'and lag, in all and for each endpoint.',
    operations: ['GET /live/runs'],
    input: { ...page(MCP_LIVE_RUNS_MAX), session },
    run: ({ limit = MCP_LIVE_RUNS_MAX, ...query }, { client, signal }) =>
      client.listLiveRuns({ limit, ...query }, { signal }),
  }),
  writingTool({
    name: 'start_replay',
    title: 'Start a replay',
    description:
      'Plays a prepared session to the active endpoints. One replay runs at a time. A race has tens of thousands of ' +
      'updates, each a delivery to every endpoint that subscribes to it: the answer has expectedDeliveries and ' +
      'deliveriesLeft. Begin elsewhere than at the start with one of sequence, lap, time and seconds.',
    operations: ['POST /simulate/runs'],
    destructive: false,
    idempotent: false,
    input: {
      sessionId: id('sessionId'),
      speed,
      webhookIds: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          description: 'The endpoints that get it. Default: all of the account.',
        }),
      ),
      ordered: Type.Optional(
        Type.Boolean({ description: 'Each endpoint gets one update at a time, and later ones wait for its retries.' }),
      ),
      sequence,
      lap,
      time,
      seconds,
    },
    run: (request, { client, signal }) => client.startReplay(request, { signal }),
  }),
  writingTool({
    name: 'pause_run',
    title: 'Pause a replay',
    description:
      'Sends nothing more until it is resumed, retries included. A run that is paused for 24 hours is stopped.',
    operations: ['POST /simulate/runs/{runId}/pause'],
    destructive: false,
    idempotent: true,
    input: { runId: id('runId') },
    run: (input, { client, signal }) => client.pauseRun(input, { signal }),
  }),
  writingTool({
    name: 'resume_run',
    title: 'Continue a paused replay',
    description: 'Continues where the run was paused, at the same speed.',
    operations: ['POST /simulate/runs/{runId}/resume'],
    destructive: false,
    idempotent: true,
    input: { runId: id('runId') },
    run: (input, { client, signal }) => client.resumeRun(input, { signal }),
  }),
  writingTool({
    name: 'seek_run',
    title: 'Move a replay forward',
    description:
      'Jumps forward to an update, a lap, a time, or so many seconds into the session: exactly one of them. What lies ' +
      'between is not delivered.',
    operations: ['POST /simulate/runs/{runId}/seek'],
    destructive: true,
    idempotent: true,
    input: { runId: id('runId'), ...SeekRequest.properties },
    run: (input, { client, signal }) => client.seekRun(input, { signal }),
  }),
  writingTool({
    name: 'stop_run',
    title: 'Stop a replay or a resend',
    description: 'Ends a replay or a resend. What was delivered stays delivered.',
    operations: ['DELETE /simulate/stream'],
    destructive: true,
    idempotent: true,
    input: { runId: id('runId') },
    run: (input, { client, signal }) => client.stopRun(input, { signal }),
  }),
];

function listed({ endpoints, resend, ...run }: Run) {
  const sum = (count: (endpoint: Run['endpoints'][number]) => number) =>
    endpoints.reduce((total, endpoint) => total + count(endpoint), 0);
  return {
    ...run,
    ...(resend !== null && { resend }),
    matched: sum(({ matched }) => matched),
    delivered: sum(({ delivered }) => delivered),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => Object.values(skipped).reduce((total, count) => total + count, 0)),
    pending: sum(({ pending }) => pending),
  };
}
