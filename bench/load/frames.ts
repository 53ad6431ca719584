// What a frame of a live session costs in a cluster: until the node that is fed has it in the log, derived and published, and
// until all nodes have.
//
// Measured: the frame logs of three nodes on one real PostgreSQL, in one thread. The built-in race is fed at the first node,
// one frame each 20 ms, as at the busiest moments of a real race; each frame waits for the one before it, and the wait counts.
// Then it is fed again as fast as the log takes it. Beside that, in turn, the log of a service alone, which writes to a file.
//
// Not measured: nodes with cores of their own, a network between them and the database, a synchronous standby.
//
// Counted, and must be zero: bodies of a node that differ from those of the service alone. A node that lacks frames for a minute
// fails the bench.
//
// How to read: the three derive one after the other on one thread, so all nodes have a frame a little later than they would on
// machines of their own. Results: docs/scaling.md.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '#engine/base/clock.ts';
import { type FrameLog, LocalFrameLog } from '#engine/intake/live/frame-log.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import { LiveSessions } from '#engine/intake/live/live-sessions.ts';
import { PostgresFrameLog } from '#engine/intake/live/postgres-frame-log.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Database } from '#engine/storage/database.ts';
import { createLog } from '#workers/log.ts';
import { benchFolder, openBenchDatabase } from '../engines/bench-database.ts';
import { quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';

export const help = `npm run bench -- frames [options]

Feeds a live session into the frame log of a cluster, and into that of a service alone: how long until a frame is published at
the node that is fed, and at all nodes; and how many frames a second the log takes.

  --nodes N    nodes of the cluster, in one thread (default 3)
  --frames N   frames that are timed, one each 20 ms (default 500)
  --burst N    frames that follow as fast as the log takes them (default 5000)
  --rounds N   rounds (default 3)

  npm run bench -- frames --nodes 2 --rounds 1`;

export const smoke = ['--nodes', '2', '--frames', '10', '--burst', '20', '--rounds', '1'];

const EVERY_MS = 20;
const REACHED_MS_MAX = 60_000;
const HEAD = { sessionId: '2026-frames-race', seriesId: 'f1', origin: 'bench' };

interface Node {
  readonly frames: FrameLog;
  readonly sessions: LiveSessions;
  end(): Promise<void>;
}

interface Play {
  /** Until the frame was published where it was fed, in ms; and at all nodes. */
  readonly fedMs: number[];
  readonly allMs: number[];
  readonly perSecond: number;
  /** Of each node. */
  readonly bodies: readonly Buffer[];
}

interface Options {
  readonly nodes: number;
  readonly frames: number;
  readonly burst: number;
}

const log = createLog('warn');

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string', default: '3' },
      frames: { type: 'string', default: '500' },
      burst: { type: 'string', default: '5000' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const options = {
    nodes: wholeNumber('--nodes', values.nodes),
    frames: wholeNumber('--frames', values.frames),
    burst: wholeNumber('--burst', values.burst),
  };
  const count = wholeNumber('--rounds', values.rounds);
  const race = demoSessionFrames();
  if (options.frames + options.burst > race.length)
    throw new Error(`--frames and --burst: the built-in race has ${race.length} frames`);
  const frames = race.slice(0, options.frames + options.burst);
  const folder = benchFolder();
  const rounds: { readonly alone: Play; readonly cluster: Play }[] = [];
  for (let round = 1; round <= count; round++) {
    const alone = await play([nodeAlone(join(folder, `alone-${round}`))], frames, options);
    const cluster = await playCluster(join(folder, `cluster-${round}`), frames, options);
    rounds.push({ alone, cluster });
    progress(
      `round ${round}: p50 alone ${quantile(alone.fedMs.toSorted(byValue), 0.5).toFixed(2)} ms, at the node that is fed ` +
        `${quantile(cluster.fedMs.toSorted(byValue), 0.5).toFixed(2)}, at all ${quantile(cluster.allMs.toSorted(byValue), 0.5).toFixed(2)}; ` +
        `${cluster.perSecond.toFixed(0)} frames/s`,
    );
  }
  const timed = (name: string, times: (round: (typeof rounds)[number]) => readonly number[]): Measurement[] =>
    ([0.5, 0.99] as const).map((share) => ({
      name: `${name}, p${share * 100}`,
      unit: 'ms',
      better: 'lower',
      samples: rounds.map((round) => quantile(times(round).toSorted(byValue), share)),
    }));
  const rate = (name: string, of: (round: (typeof rounds)[number]) => Play): Measurement => ({
    name: `frames as fast as they are taken, ${name}`,
    unit: '/s',
    better: 'higher',
    samples: rounds.map((round) => of(round).perSecond),
  });
  const sum = (value: (round: (typeof rounds)[number]) => number): number =>
    rounds.reduce((total, round) => total + value(round), 0);
  return {
    bench: 'frames',
    parameters: { ...options, rounds: count },
    measurements: [
      ...timed('alone', ({ alone }) => alone.fedMs),
      ...timed('at the node that is fed', ({ cluster }) => cluster.fedMs),
      ...timed(`at all of ${options.nodes} nodes`, ({ cluster }) => cluster.allMs),
      rate('alone', ({ alone }) => alone),
      rate(`${options.nodes} nodes`, ({ cluster }) => cluster),
    ],
    plots: [],
    faults: {
      differing: sum(({ cluster, alone }) => cluster.bodies.filter((body) => !body.equals(alone.bodies[0]!)).length),
    },
    notes: ['all nodes share a thread, and the machine with PostgreSQL'],
  };
}

/** Feeds the frames at the first node. */
async function play(nodes: readonly Node[], frames: readonly Frame[], options: Options): Promise<Play> {
  const [fed] = nodes;
  const { frames: into } = fed!;
  const session = await into.begin(HEAD, frames[0]!.utcMs);
  if (!(session instanceof LiveSession)) throw new Error(`the session does not begin: ${session}`);
  const published = (node: Node): number => node.sessions.get(HEAD.sessionId)?.frames ?? -1;
  const reached = async (count: number): Promise<void> => {
    const untilMs = performance.now() + REACHED_MS_MAX;
    while (nodes.some((node) => published(node) < count)) {
      if (performance.now() > untilMs) throw new Error(`a node lacks frames: not all have ${count} after a minute`);
      await turn();
    }
  };
  await reached(0);
  const fedMs: number[] = [];
  const allMs: number[] = [];
  const startMs = performance.now();
  for (const [index, frame] of frames.slice(0, options.frames).entries()) {
    const dueMs = startMs + index * EVERY_MS;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
    // One that had to wait for the frame before it counts from when it was due; a timer that fires late costs nobody.
    const atMs = waitMs > 0 ? performance.now() : dueMs;
    into.offer(session, frame, systemClock.nowMs());
    await into.settled(session);
    fedMs.push(performance.now() - atMs);
    await reached(index + 1);
    allMs.push(performance.now() - atMs);
  }
  const fromMs = performance.now();
  for (const frame of frames.slice(options.frames)) await into.offer(session, frame, systemClock.nowMs());
  await into.settled(session);
  await reached(frames.length);
  const perSecond = (options.burst * 1_000) / (performance.now() - fromMs);
  const bodies = nodes.map((node) => bodiesOf(node.sessions.get(HEAD.sessionId)!));
  for (const node of nodes) await node.end();
  return { fedMs, allMs, perSecond, bodies };
}

async function playCluster(folder: string, frames: readonly Frame[], options: Options): Promise<Play> {
  mkdirSync(folder, { mode: 0o711 });
  const database = await openBenchDatabase(folder, log);
  try {
    const nodes: Node[] = [];
    for (let nodeNo = 1; nodeNo <= options.nodes; nodeNo++)
      nodes.push(await nodeOf(database, join(folder, `node-${nodeNo}`), nodeNo));
    return await play(nodes, frames, options);
  } finally {
    await database.close();
  }
}

function nodeAlone(dataDir: string): Node {
  const sessions = sessionsIn(dataDir);
  return { frames: new LocalFrameLog(sessions), sessions, end: () => sessions.close() };
}

async function nodeOf(database: Database, dataDir: string, nodeNo: number): Promise<Node> {
  const sessions = sessionsIn(join(dataDir, 'copies'));
  const sql = database.connect(3);
  await sql`
    insert into cluster_node (node_no, node_id, address, version, deriver_version, schema_version, lease_until) overriding system value
    values (${nodeNo}, gen_random_uuid(), ${String(nodeNo)}, '', 1, 1, now() + interval '1 hour')`;
  const frames = new PostgresFrameLog({
    sql,
    nodeNo,
    sessions,
    recordings: NEVER_ENDS,
    dataDir,
    keepsHouse: () => nodeNo === 1,
    clock: systemClock,
    log,
    failed: fail,
    differs: (sessionId) => fail(new Error(`node ${nodeNo} differs in ${sessionId}`)),
  });
  await frames.start();
  return {
    frames,
    sessions,
    async end() {
      await frames.close();
      await sessions.close();
      await sql.end();
    },
  };
}

/** No session ends in this bench. */
const NEVER_ENDS = { publish: () => Promise.reject(new Error('a session has ended')) };

function sessionsIn(dataDir: string): LiveSessions {
  mkdirSync(join(dataDir, 'live'), { recursive: true });
  return new LiveSessions({
    dataDir,
    recordings: NEVER_ENDS,
    clock: systemClock,
    log,
    knownMemory: new Map(),
    opened: () => {},
    ended: () => {},
  });
}

function bodiesOf({ memory: { columns }, updates }: LiveSession): Buffer {
  return Buffer.from(columns.bodies, 0, new Uint32Array(columns.bodyStart)[updates]);
}

function fail(error: Error): never {
  throw error;
}

const byValue = (a: number, b: number): number => a - b;
