// The live thread: takes in live timing and operators' own sources, records them, derives updates and publishes them.
// Delivery threads read the updates from shared memory. A failure that it cannot handle ends the thread: the main
// thread restarts it, and it resumes from the recordings.

import { parentPort, workerData } from 'node:worker_threads';
import { INGEST_ORIGIN, Ingest } from '#api/admin/ingest.ts';
import { LiveHost } from '#api/admin/live-host.ts';
import { assert } from '#engine/base/assert.ts';
import { systemClock } from '#engine/base/clock.ts';
import { DATABASE_QUICK_END_S, DATABASE_SILENCE_MS_MAX, LIVE_DATABASE_CONNECTIONS_MAX } from '#engine/base/limits.ts';
import { systemRandom } from '#engine/base/random.ts';
import { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { F1LiveFollower } from '#engine/intake/live/f1-live-follower.ts';
import { LiveGaps } from '#engine/intake/live/live-gaps.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import { LiveSessions } from '#engine/intake/live/live-sessions.ts';
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
import type { FromLive, ToLive } from './live-messages.ts';
import type { LiveThreadData } from './live-thread.ts';
import { createLog } from './log.ts';
import { recordingStore } from './recording-store.ts';
import { watchThread } from './thread-watch.ts';

/** How often the thread checks whether sessions have changed phase or ended. */
const TICK_MS = 1_000;
/** How often recordings are synced to disk: the most that a power cut can cost. */
const SYNC_MS = 250;

const port = parentPort;
assert(port !== null, 'live sessions are followed on a worker thread');
const post = (message: FromLive): void => port.postMessage(message);
const { settings, connection, knownMemories, meters } = workerData as LiveThreadData;
const log = createLog(settings.logLevel, { thread: 'live' });
const sql = connect(connection, {
  max: LIVE_DATABASE_CONNECTIONS_MAX,
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

const sessions = new LiveSessions({
  dataDir: settings.dataDir,
  inCluster: settings.inCluster,
  recordings: recordingStore({ ...settings, sql, log }),
  clock: systemClock,
  log,
  knownMemory: new Map(knownMemories.map((memory) => [memory.head.sessionId, memory])),
  opened(session) {
    const { memory, phase } = session;
    phases.set(memory.head.sessionId, phase);
    post({ kind: 'session.opened', memory, phase });
    postOutcome(session);
    host?.report();
  },
  gap: (sessionId, gap) => gaps.add(sessionId, gap),
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

const source = settings.liveTimingUrl === null ? null : openSource(settings.liveTimingUrl);
const follower =
  source === null
    ? null
    : new F1LiveFollower({ source, sessions, origin: settings.liveTimingUrl!, clock: systemClock, log, failed: fail });

function openSource(url: string): SignalrSource {
  return new SignalrSource({
    url,
    accessToken: settings.liveTimingToken,
    topics: UPSTREAM_TOPICS,
    clock: systemClock,
    random: systemRandom,
    log,
  });
}

function tick(): void {
  for (const session of sessions.all()) {
    const { head, phase } = session;
    postOutcome(session);
    if (phases.get(head.sessionId) === phase) continue;
    phases.set(head.sessionId, phase);
    post({ kind: 'session.moved', sessionId: head.sessionId, phase });
  }
  sessions.endAbandoned();
  follower?.tick();
  host?.report();
}

/** An operator's own source counts the frames of its sessions, so these get none that it did not send. */
function know(sessionId: string, known: KnownBefore): void {
  const session = sessions.get(sessionId);
  if (session === null || session.head.origin === INGEST_ORIGIN) return;
  try {
    session.know(known);
  } catch (error) {
    fail(error as Error);
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
sessions.recover();
follower?.start([...sessions.all()].filter(({ head }) => head.origin !== INGEST_ORIGIN));
const timers = [setInterval(tick, TICK_MS), setInterval(() => sessions.sync(), SYNC_MS)];
post({ kind: 'ready' });
setImmediate(warmUp);

const ingest = new Ingest({ sessions, catalogue, clock: systemClock, seriesIds: settings.seriesIds });
port.on('message', async (message: ToLive) => {
  if (message.kind === 'operators') {
    host?.close();
    const connected = (): boolean => follower?.connected ?? false;
    host = new LiveHost({ port: message.port, ingest, sessions, connected, log, failed: fail });
    return;
  }
  if (message.kind === 'session.known') {
    know(message.sessionId, message.known);
    return;
  }
  for (const timer of timers) clearInterval(timer);
  await source?.close();
  host?.close();
  await sessions.close();
  gaps.close();
  await sql.end({ timeout: DATABASE_QUICK_END_S });
  post({ kind: 'closed' });
});
