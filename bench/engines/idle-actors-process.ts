// Measures the memory of an idle shard. Started by `measureIdleActors` (idle-actors.ts) with --expose-gc; the argument
// is the number of endpoints.
//
// The heap is counted object by object in heap snapshots before and after, because that is exact and says what the
// bytes are. OpenSSL holds the keys outside the heap, so they show only in the resident memory.

import { text } from 'node:stream/consumers';
import { getHeapSnapshot } from 'node:v8';
import { assert } from '#engine/base/assert.ts';
import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { Shard } from '#engine/delivery/shard/shard.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import type { SharedArtifact } from '#engine/timeline/shared-timeline.ts';
import { endpointsAt } from './bench-account.ts';
import type { IdleActors } from './idle-actors.ts';
import { syntheticArtifact } from './synthetic-timeline.ts';

const HOUR_MS = 3_600_000;
/** Started before the measurement, so one-time allocations are not counted. */
const WARM_UP_ENDPOINTS = 10;

const shard = new Shard({
  clock: systemClock,
  transport: {
    connectsAhead: false,
    checking: 0,
    connect() {
      throw new Error('nothing is due');
    },
  },
  store: { admit: async () => {}, commit: async () => {}, checkpoints: async () => [] },
  writer: { name: 'idle', epoch: 1 },
  keep: () => 0,
  headerPrefix: 'X-Service',
  liveToLocalhost: false,
  meter: new ShardMeter(),
  finished: null,
  watch: () => () => {},
  notify: () => {},
  wake: () => {},
  reportProblem: (what, error) => {
    throw new Error(what, { cause: error });
  },
});

/** Starts a run that begins in an hour, with endpoint settings copied into this thread as the main thread would. */
function start(artifact: SharedArtifact, count: number): void {
  const accountId = newId('acc', Date.now(), systemRandomBytes);
  const endpoints = endpointsAt(
    accountId,
    Array.from({ length: count }, (_, index) => `https://receiver-${index}.example.com/hook`),
  );
  const run = {
    mode: 'replay' as const,
    runId: newId('run', Date.now(), systemRandomBytes),
    runNo: 1,
    sessionId: 'synthetic',
    accountId,
    speed: 1,
    pacedFromMs: systemClock.nowMs() + HOUR_MS,
    allFeeds: false,
    allowance: allowanceCell(),
  };
  const state = { resumed: false, deleted: [], stopping: null, parking: false };
  shard.receive(structuredClone({ kind: 'run.start', run, timeline: artifact, endpoints, ...state }));
  // Every actor takes its first turn and finds nothing due.
  while (shard.advance() === 0);
}

interface Heap {
  readonly bytes: number;
  readonly kinds: ReadonlyMap<string, { count: number; bytes: number }>;
}

/** All live objects, by class name or by V8's name for their kind. */
async function heap(): Promise<Heap> {
  const { snapshot, nodes, strings } = JSON.parse(await text(getHeapSnapshot())) as {
    snapshot: { meta: { node_fields: string[]; node_types: [string[]] } };
    nodes: number[];
    strings: string[];
  };
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, nameAt, sizeAt] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field)) as [
    number,
    number,
    number,
  ];
  const kinds = new Map<string, { count: number; bytes: number }>();
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = types[0][nodes[at + typeAt]!]!;
    const named = type === 'object' || type === 'closure' || type === 'native' || type === 'hidden';
    const name = named ? strings[nodes[at + nameAt]!]! : `(${type})`;
    const kind = kinds.get(name) ?? { count: 0, bytes: 0 };
    kind.count++;
    kind.bytes += nodes[at + sizeAt]!;
    bytes += nodes[at + sizeAt]!;
    kinds.set(name, kind);
  }
  return { bytes, kinds };
}

function collectedRss(): number {
  assert(gc !== undefined, 'started with --expose-gc');
  for (let round = 0; round < 4; round++) gc();
  return process.memoryUsage.rss();
}

function growth(endpoints: number, before: Heap, after: Heap): IdleActors['kinds'] {
  return [...after.kinds]
    .map(([name, { count, bytes }]) => {
      const was = before.kinds.get(name) ?? { count: 0, bytes: 0 };
      return { name, count: (count - was.count) / endpoints, bytes: (bytes - was.bytes) / endpoints };
    })
    .filter(({ bytes }) => bytes >= 1)
    .sort((a, b) => b.bytes - a.bytes);
}

const endpoints = Number(process.argv[2]);
const artifact = await syntheticArtifact(1, 1_000, 450);
start(artifact, WARM_UP_ENDPOINTS);
const before = await heap();
const rssBefore = collectedRss();
start(artifact, endpoints);
const rssAfter = collectedRss();
const after = await heap();
process.send!({
  heapBytes: (after.bytes - before.bytes) / endpoints,
  rssBytes: (rssAfter - rssBefore) / endpoints,
  kinds: growth(endpoints, before, after),
} satisfies IdleActors);
process.disconnect();
