// The live thread: takes in live timing and operators' own sources, records them, derives updates and publishes them.
// Delivery threads read the updates from shared memory. A failure that it cannot handle ends the thread: the main
// thread restarts it, and it resumes from the recordings.

import { parentPort, workerData } from 'node:worker_threads';
import { INGEST_ORIGIN, Ingest } from '#api/admin/ingest.ts';
import { LiveHost } from '#api/admin/live-host.ts';
import { assert } from '#engine/base/assert.ts';
import { systemClock } from '#engine/base/clock.ts';
import {
  CLUSTER_LIVE_DATABASE_CONNECTIONS_MAX,
  DATABASE_QUICK_END_S,
  DATABASE_SILENCE_MS_MAX,
  LIVE_DATABASE_CONNECTIONS_MAX,
} from '#engine/base/limits.ts';
import { systemRandom } from '#engine/base/random.ts';
import { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { F1LiveFollower } from '#engine/intake/live/f1-live-follower.ts';
import { type FrameLog, FramesRefused, LocalFrameLog } from '#engine/intake/live/frame-log.ts';
import { LiveGaps } from '#engine/intake/live/live-gaps.ts';
import { copiesFolder } from '#engine/intake/live/live-journals.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import { LiveSessions } from '#engine/intake/live/live-sessions.ts';
import { PostgresFrameLog } from '#engine/intake/live/postgres-frame-log.ts';
import { postgresLiveGapStore } from '#engine/intake/live/postgres-live-gap-store.ts';
import { PublishedOutcomes } from '#engine/intake/live/published-outcomes.ts';
import { PostgresSessionCatalogue } from '#engine/intake/recording/postgres-session-catalogue.ts';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { SignalrSource } from '#engine/intake/source/signalr-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { KnownBefore } from '#engine/racing/session/known-before.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import { SERIES_ID } from '#engine/racing/session-slug.ts';
import { connect } from '#engine/storage/postgres-client.ts';
import { UPSTREAM_TOPICS } from '#schemas/upstream/topics.ts';
import { type Following, TimingWatch } from './live/timing-watch.ts';
import type { FromLive, ToLive } from './live-messages.ts';
import type { LiveThreadData } from './live-thread.ts';
import { createLog } from './log.ts';
import { recordingStore } from './recording-store.ts';
import { watchThread } from './thread-watch.ts';

/** How often the thread checks whether sessions have changed phase or ended. */
const TICK_MS = 1_000;
/** How often recordings are synced to disk: the most that a power cut can cost. */
const SYNC_MS = 250;
/** How often frames that nobody needs any more are removed. */
const PURGE_MS = 60_000;

const port = parentPort;
assert(port !== null, 'live sessions are followed on a worker thread');
const post = (message: FromLive): void => port.postMessage(message);
const { settings, connection, knownMemories, meters, ...begun } = workerData as LiveThreadData;
const { nodeNo, dataDir } = settings;
const inCluster = nodeNo !== null;
let isKeeper = begun.isKeeper;
const log = createLog(settings.logLevel, { thread: 'live' });
const sql = connect(connection, {
  max: inCluster ? CLUSTER_LIVE_DATABASE_CONNECTIONS_MAX : LIVE_DATABASE_CONNECTIONS_MAX,
  name: 'slipstream-live',
  clock: systemClock,
  silenceMsMax: DATABASE_SILENCE_MS_MAX,
});
const catalogue = new PostgresSessionCatalogue(sql);
const gaps = new LiveGaps({ store: postgresLiveGapStore(sql), clock: systemClock, log });
const phases = new Map<string, SessionPhase>();
const publishedOutcomes = new PublishedOutcomes();
/** Null until the operators' thread has connected. */
let host: LiveHost | null = null;

const recordings = recordingStore({ inCluster, dataDir, sql, log });
const sessions: LiveSessions = new LiveSessions({
  dataDir: inCluster ? copiesFolder(dataDir) : dataDir,
  recordings,
  clock: systemClock,
  log,
  knownMemory: new Map(knownMemories.map((memory) => [memory.head.sessionId, memory])),
  opened(session, beganAtMs) {
    const { memory, phase } = session;
    phases.set(memory.head.sessionId, phase);
    post({ kind: 'session.opened', memory, phase, beganAtMs });
    postOutcome(session);
    host?.report();
  },
  gap(sessionId, gap) {
    // Every node of a cluster has the gap; the one that feeds the session counts it.
    if (shared === null || shared.feeds(sessionId)) gaps.add(sessionId, gap);
  },
  ended(sessionId) {
    phases.delete(sessionId);
    publishedOutcomes.forget(sessionId);
    post({ kind: 'session.ended', sessionId });
  },
});

const fail = (error: Error): void => {
  log.error({ err: error }, 'the live thread cannot continue; restarting it from the recordings');
  process.exit(1);
};

/** In a cluster. */
const shared: PostgresFrameLog | null =
  nodeNo === null
    ? null
    : new PostgresFrameLog({
        sql,
        nodeNo,
        sessions,
        recordings,
        dataDir,
        keepsHouse: () => isKeeper,
        clock: systemClock,
        log,
        failed: fail,
        differs(sessionId) {
          phases.delete(sessionId);
          publishedOutcomes.forget(sessionId);
          post({ kind: 'session.left', sessionId });
        },
      });
const frames: FrameLog = shared ?? new LocalFrameLog(sessions);

const { liveTimingUrl } = settings;
/** Null without live timing. */
const timing =
  liveTimingUrl === null
    ? null
    : new TimingWatch({
        open: () => openTiming(liveTimingUrl),
        sessions,
        frames,
        isOfTiming: ({ head }) => head.origin !== INGEST_ORIGIN,
        clock: systemClock,
        failed: fail,
      });

function openTiming(url: string): Following {
  const source = new SignalrSource({
    url,
    accessToken: settings.liveTimingToken,
    topics: UPSTREAM_TOPICS,
    clock: systemClock,
    random: systemRandom,
    log,
  });
  const parts = { source, sessions, frames, origin: url, clock: systemClock, log, failed: fail };
  return { source, follower: new F1LiveFollower(parts) };
}

function purge(shared: PostgresFrameLog): void {
  shared.purge().catch((error: Error) => log.warn({ err: error }, 'could not remove frames that are recorded yet'));
}

function tick(): void {
  for (const session of sessions.all()) {
    const { head, phase } = session;
    postOutcome(session);
    if (phases.get(head.sessionId) === phase) continue;
    phases.set(head.sessionId, phase);
    post({ kind: 'session.moved', sessionId: head.sessionId, phase });
  }
  if (!inCluster) sessions.endAbandoned();
  else if (isKeeper) sessions.endAbandoned(endForAll);
  timing?.tick();
  host?.report();
}

/** In a cluster. */
async function endForAll(session: LiveSession): Promise<void> {
  if ((await frames.end(session)) === 'busy') throw new Error('another node of the cluster feeds it');
}

/** An operator's own source counts the frames of its sessions, so these get none that it did not send. */
function know(sessionId: string, known: KnownBefore): void {
  const session = sessions.get(sessionId);
  if (session === null || session.head.origin === INGEST_ORIGIN) return;
  if (shared !== null && !shared.feeds(sessionId)) return;
  try {
    session.know(known, (message, receivedMs) => void frames.offer(session, message, receivedMs)?.catch(() => {}));
  } catch (error) {
    if (!(error instanceof FramesRefused)) fail(error as Error);
  }
}

function postOutcome(session: LiveSession): void {
  const { sessionId } = session.head;
  const outcome = session.outcome();
  if (outcome === null || !publishedOutcomes.isNew(sessionId, outcome)) return;
  post({ kind: 'session.outcome', sessionId, outcome });
}

/**
 * Runs the deriving code once: code that has not run yet is slow, and the first frames of a session arrive all at once.
 */
function warmUp(): void {
  for (const _ of sessions.all()) return;
  deriveTimeline({ sessionId: DEMO_SESSION_ID, seriesId: SERIES_ID }, demoSessionFrames());
}

watchThread(new ThreadMeter(new Float64Array(meters.live)));
if (shared === null) sessions.recover();
else await shared.start();
if (!inCluster || isKeeper) timing?.keep(true);
const timers = [setInterval(tick, TICK_MS), setInterval(() => sessions.sync(), SYNC_MS)];
if (shared !== null) timers.push(setInterval(purge, PURGE_MS, shared));
post({ kind: 'ready' });
setImmediate(warmUp);

const ingest = new Ingest({ sessions, frames, catalogue, clock: systemClock, seriesIds: settings.seriesIds });
port.on('message', async (message: ToLive) => {
  if (message.kind === 'operators') {
    host?.close();
    const connected = (): boolean => timing?.connected ?? false;
    host = new LiveHost({ port: message.port, ingest, sessions, connected, log, failed: fail });
    return;
  }
  if (message.kind === 'session.known') {
    know(message.sessionId, message.known);
    return;
  }
  if (message.kind === 'keeper') {
    isKeeper = message.isKeeper;
    timing?.keep(isKeeper);
    return;
  }
  for (const timer of timers) clearInterval(timer);
  await timing?.close();
  await shared?.close();
  host?.close();
  await sessions.close();
  gaps.close();
  await sql.end({ timeout: DATABASE_QUICK_END_S });
  post({ kind: 'closed' });
});
