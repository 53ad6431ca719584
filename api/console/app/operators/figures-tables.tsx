// Live sources, shards and threads, each in a table.

import type { LiveFigures, ShardFigures, ThreadFigures } from '#schemas/http/operators.ts';
import { operatorsText } from '../text/text.ts';
import { bytes, duration, percent, whole } from './figures.ts';
import { type Column, FiguresTable } from './figures-table.tsx';

const { live: liveText, shards: shardsText, threads: threadsText } = operatorsText;

type LiveSession = LiveFigures['sessions'][number];

const LIVE: readonly Column<LiveSession>[] = [
  { label: liveText.session, cell: ({ sessionId }) => sessionId },
  { label: liveText.frames, isNumber: true, cell: ({ frames }) => whole(frames) },
  { label: liveText.updates, isNumber: true, cell: ({ updates }) => whole(updates) },
  { label: liveText.lastFrame, isNumber: true, cell: ({ silentMs }) => liveText.ago(duration(silentMs)) },
];

const SHARDS: readonly Column<ShardFigures>[] = [
  { label: shardsText.shard, cell: ({ shard }) => shard },
  { label: shardsText.actors, isNumber: true, cell: ({ actors }) => whole(actors) },
  { label: shardsText.breakers, isNumber: true, cell: ({ breakersOpen }) => whole(breakersOpen) },
  { label: shardsText.mailbox, isNumber: true, cell: ({ mailbox }) => whole(mailbox) },
  { label: shardsText.fullest, isNumber: true, cell: ({ mailboxMost }) => whole(mailboxMost) },
  { label: shardsText.queued, isNumber: true, cell: ({ queuedMs }) => duration(queuedMs) },
  { label: shardsText.inFlight, isNumber: true, cell: ({ inFlight }) => whole(inFlight) },
  { label: shardsText.retrying, isNumber: true, cell: ({ retrying }) => whole(retrying) },
  { label: shardsText.connections, isNumber: true, cell: ({ connections }) => whole(connections) },
  { label: shardsText.records, isNumber: true, cell: ({ recordAttempts }) => whole(recordAttempts) },
  { label: shardsText.recordAge, isNumber: true, cell: ({ recordMs }) => duration(recordMs) },
  { label: shardsText.commitFailures, isNumber: true, cell: ({ commitFailures }) => whole(commitFailures) },
  { label: shardsText.restarts, isNumber: true, cell: ({ actorRestarts }) => whole(actorRestarts) },
];

const THREADS: readonly Column<ThreadFigures>[] = [
  { label: threadsText.thread, cell: ({ name }) => name },
  {
    label: threadsText.silent,
    isNumber: true,
    cell: ({ silentMs }) => (silentMs === null ? threadsText.notStarted : liveText.ago(duration(silentMs))),
  },
  { label: threadsText.busy, isNumber: true, cell: ({ busy }) => percent(busy) },
  { label: threadsText.delay, isNumber: true, cell: ({ delayP99Ms }) => duration(delayP99Ms) },
  { label: threadsText.heap, isNumber: true, cell: ({ heapBytes }) => bytes(heapBytes) },
  { label: threadsText.starts, isNumber: true, cell: ({ starts }) => whole(starts) },
];

export function LiveSources({ live: { connected, sessions } }: { readonly live: LiveFigures }) {
  const timing = connected === null ? liveText.notSet : connected ? liveText.connected : liveText.disconnected;
  return (
    <section class="stack tight">
      <h2>{liveText.heading}</h2>
      <p class="soft">{sessions.length === 0 ? `${liveText.none} ${timing}` : timing}</p>
      {sessions.length > 0 && (
        <FiguresTable heading={liveText.heading} rows={sessions} keyOf={({ sessionId }) => sessionId} columns={LIVE} />
      )}
    </section>
  );
}

export function Shards({ shards }: { readonly shards: readonly ShardFigures[] }) {
  return (
    <section class="stack tight">
      <h2>{shardsText.heading}</h2>
      <FiguresTable heading={shardsText.heading} rows={shards} keyOf={({ shard }) => shard} columns={SHARDS} />
    </section>
  );
}

export function Threads({ threads }: { readonly threads: readonly ThreadFigures[] }) {
  return (
    <section class="stack tight">
      <h2>{threadsText.heading}</h2>
      <FiguresTable heading={threadsText.heading} rows={threads} keyOf={({ name }) => name} columns={THREADS} />
    </section>
  );
}
