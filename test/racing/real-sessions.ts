// Real recordings for tests, which are not part of the project. What a test can say of invented sessions too it says of the
// golden ones, and of real ones where they are; what only real ones tell is skipped where they are absent.

import { LRUCache } from 'lru-cache';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import type { SessionDescription } from '#engine/racing/series/series.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { TimelineHead } from '#engine/timeline/timeline-builder.ts';
import { dataPath, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

export const WHOLE_SESSIONS = [
  '2018-azerbaijan-race',
  '2023-azerbaijan-qualifying',
  '2024-britain-practice-1',
  '2025-mexico-qualifying',
  '2025-miami-sprint',
] as const;

export const PARTIAL_SESSIONS = ['2020-belgium-race', '2025-australia-race', '2025-mexico-race'] as const;

export const ALL_SESSIONS = [...WHOLE_SESSIONS, ...PARTIAL_SESSIONS];

/** Recordings of other kinds than the archive's, with the file that holds them. */
export const DUMPED_SESSIONS = ['2025-azerbaijan-qualifying', '2025-miami-race', '2026-austria-qualifying'] as const;

const DUMPS: Readonly<Record<string, string>> = {
  '2025-azerbaijan-qualifying': 'fastf1-text/2025-azerbaijan-qualifying/saved_data.txt',
  '2025-miami-race': 'signalr-legacy/2025-miami-race-partial/frames.txt',
  '2026-austria-qualifying': 'signalr-core/2026-austria-qualifying/frames.ndjson',
};

export function sessionPath(session: string): string {
  const dump = DUMPS[session];
  if (dump !== undefined) return dataPath(dump);
  const whole = (WHOLE_SESSIONS as readonly string[]).includes(session);
  return dataPath(`${whole ? 'archive' : 'archive-partial'}/${session}`);
}

/** Many files of tests look at the same sessions, in turn; all of them at once would take gigabytes. */
const framesRead = new LRUCache<string, readonly Frame[]>({ max: 4 });
const timelinesDerived = new LRUCache<string, Timeline>({ max: 2 });

export function framesOf(session: string): readonly Frame[] {
  let frames = framesRead.get(session);
  if (frames === undefined) {
    frames = [...openSource(sessionPath(session)).frames()];
    framesRead.set(session, frames);
  }
  return frames;
}

export function timelineOf(session: string): Timeline {
  let timeline = timelinesDerived.get(session);
  if (timeline === undefined) {
    timeline = deriveTimeline(descriptionOf(session), framesOf(session));
    timelinesDerived.set(session, timeline);
  }
  return timeline;
}

/** By its SessionInfo; the one recording without says it by its name. */
export function descriptionOf(session: string): SessionDescription {
  return describeSession(F1, framesOf(session), session);
}

/** A session that a test looks at, recorded or golden. */
export interface TestSession {
  readonly sessionId: string;
  readonly head: TimelineHead;
  readonly frames: readonly Frame[];
  readonly timeline: Timeline;
}

/** The recordings of these names, where there are any. */
export function recorded(...sessions: readonly string[]): readonly TestSession[] {
  return WITHOUT_RECORDINGS === false ? sessions.map((session) => new RecordedSession(session)) : [];
}

/** Holds nothing: what was read lately is kept here for all. */
class RecordedSession implements TestSession {
  readonly sessionId: string;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  get head(): TimelineHead {
    return descriptionOf(this.sessionId);
  }

  get frames(): readonly Frame[] {
    return framesOf(this.sessionId);
  }

  get timeline(): Timeline {
    return timelineOf(this.sessionId);
  }
}

/** A payload as tests look at it. */
export interface TestPayload {
  readonly feed: string;
  readonly sequence: number;
  readonly utc: string;
  readonly lap?: number;
  readonly event?: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly drivers: readonly (Readonly<Record<string, unknown>> & { readonly number: string; readonly tla: string })[];
}

export function payloadsOf(timeline: Timeline, feed?: string): TestPayload[] {
  const decoder = new TextDecoder();
  const payloads: TestPayload[] = [];
  for (let position = 0; position < timeline.length; position++) {
    if (feed !== undefined && timeline.feedId(position) !== feed) continue;
    payloads.push(JSON.parse(decoder.decode(timeline.body(position))));
  }
  return payloads;
}
