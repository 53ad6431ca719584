// Live sessions in a test's own folder, without a database or delivery.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Clock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import { LiveSessions, type LiveSessionsParts } from '#engine/intake/live/live-sessions.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import type { SessionCatalogue, SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { raceUnderWay, START_MS } from '#test/racing/scripted-session.ts';
import { SimulatedTime } from './simulated-time.ts';

/** A catalogue in memory that fails while `away` is set. */
export class MemoryCatalogue implements SessionCatalogue {
  readonly entries = new Map<string, SessionEntry>();
  away = false;

  async put(entry: SessionEntry, alongside: () => void): Promise<void> {
    if (this.away) throw new Error('the database is away');
    alongside();
    this.entries.set(entry.sessionId, entry);
  }

  async find(sessionId: string): Promise<SessionEntry | null> {
    if (this.away) throw new Error('the database is away');
    return this.entries.get(sessionId) ?? null;
  }

  async list(): Promise<SessionEntry[]> {
    return [...this.entries.values()];
  }
}

/** Records each line as `LEVEL MESSAGE`. */
export class RecordedLog implements Log {
  readonly lines: string[] = [];

  info(_details: object, message: string): void {
    this.lines.push(`info ${message}`);
  }

  warn(_details: object, message: string): void {
    this.lines.push(`warn ${message}`);
  }

  error(_details: object, message: string): void {
    this.lines.push(`error ${message}`);
  }

  get errors(): string[] {
    return this.lines.filter((line) => line.startsWith('error'));
  }
}

export interface FollowedSessions {
  readonly sessions: LiveSessions;
  readonly time: SimulatedTime;
  readonly catalogue: MemoryCatalogue;
  readonly log: RecordedLog;
  /** `opened ID` and `ended ID`, in order of the calls. */
  readonly events: string[];
  /** Memory of the opened sessions, by id. */
  readonly memories: Map<string, LiveMemory>;
}

export const TEST_RACE_ID = '2025-test-race';

/** Begins a live session and hands it the frames of a race under way. */
export function begun(sessions: LiveSessions, sessionId = TEST_RACE_ID): LiveSession {
  const session = sessions.begin({ sessionId, seriesId: 'f1', origin: 'test' }, START_MS);
  assert.ok(session instanceof LiveSession, String(session));
  for (const frame of raceUnderWay()) session.take(frame, 0);
  return session;
}

/** The disk has no room when the session ends for the first time. */
export function fullOnce(t: TestContext, session: LiveSession): void {
  const end = session.end.bind(session);
  let tries = 0;
  t.mock.method(session, 'end', async () => {
    if (tries++ === 0) throw new RecordingError('io', 'no space left on the disk');
    return end();
  });
}

/** The live sessions of one process or thread in a folder. */
export function followSessions(
  dataDir: string,
  {
    time = new SimulatedTime(),
    catalogue = new MemoryCatalogue(),
    ...given
  }: Partial<LiveSessionsParts> & {
    readonly time?: SimulatedTime;
    readonly catalogue?: MemoryCatalogue;
    readonly clock?: Clock;
  } = {},
): FollowedSessions {
  const log = new RecordedLog();
  const events: string[] = [];
  const memories = new Map<string, LiveMemory>();
  mkdirSync(join(dataDir, 'live'), { recursive: true });
  const sessions = new LiveSessions({
    dataDir,
    recordings: new FileRecordings(dataDir, catalogue),
    clock: time,
    log,
    knownMemory: new Map(),
    opened({ memory }) {
      events.push(`opened ${memory.head.sessionId}`);
      memories.set(memory.head.sessionId, memory);
    },
    ended: (sessionId) => events.push(`ended ${sessionId}`),
    ...given,
  });
  return { sessions, time, catalogue, log, events, memories };
}
