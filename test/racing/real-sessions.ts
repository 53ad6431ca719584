// Real recordings for tests. They are not part of the project. Tests that hold for any session use the golden sessions,
// and the recordings too if they are present. Tests that need a recording are skipped without it.

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

/** Recordings that do not come from the archive. */
export const DUMPED_SESSIONS = ['2025-azerbaijan-qualifying', '2025-miami-race', '2026-austria-qualifying'] as const;

/** Recordings for tests that hold for any session: among them a sprint's qualifying, and a race with two red flags. */
export const FURTHER_SESSIONS = [
  '2021-saudi-race',
  '2024-china-sprint-qualifying',
  '2024-spain-qualifying',
  '2025-saopaulo-sprint',
  '2025-singapore-race',
] as const;

const PATHS: Readonly<Record<string, string>> = {
  '2024-china-sprint-qualifying': 'archive/2024-china-sprint-qualifying',
  '2024-spain-qualifying': 'archive/2024-spain-qualifying',
  '2025-azerbaijan-qualifying': 'fastf1-text/2025-azerbaijan-qualifying/saved_data.txt',
  '2025-miami-race': 'signalr-legacy/2025-miami-race-partial/frames.txt',
  '2025-saopaulo-sprint': 'fastf1-text/2025-saopaulo-sprint/saved_data.txt',
  '2026-austria-qualifying': 'signalr-core/2026-austria-qualifying/frames.ndjson',
};

export function sessionPath(session: string): string {
  const path = PATHS[session];
  if (path !== undefined) return dataPath(path);
  const whole = (WHOLE_SESSIONS as readonly string[]).includes(session);
  return dataPath(`${whole ? 'archive' : 'archive-partial'}/${session}`);
}

/** Many tests read the same sessions. All of their frames take 50 MB, and all of their timelines 300 MB. */
const framesRead = new Map<string, readonly Frame[]>();
const timelinesDerived = new Map<string, Timeline>();

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

/** Describes the session by its SessionInfo. The only recording without one is described by its name. */
export function descriptionOf(session: string): SessionDescription {
  return describeSession(F1, framesOf(session), session);
}

/** A session for tests, recorded or golden. */
export interface TestSession {
  readonly sessionId: string;
  readonly head: TimelineHead;
  readonly frames: readonly Frame[];
  readonly timeline: Timeline;
}

/** Returns the recordings of these names, or none if recordings are not present. */
export function recorded(...sessions: readonly string[]): readonly TestSession[] {
  return WITHOUT_RECORDINGS === false ? sessions.map((session) => new RecordedSession(session)) : [];
}

/** Holds no data: the caches above are shared by all instances. */
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

/** A payload in the form in which tests read it. */
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
