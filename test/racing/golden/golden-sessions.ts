// The golden sessions: an invented race weekend and a karting heat. Together they cover every topic, every race event
// and every model, and the awkward forms that the upstream uses. The tests in this folder assert what is derived from
// them.

import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { TimelineHead } from '#engine/timeline/timeline-builder.ts';
import type { TestSession } from '#test/racing/real-sessions.ts';
import { HEAT_ID, heatFrames } from './karting-heat.ts';
import { PRACTICE_ID, practiceFrames } from './practice.ts';
import { QUALIFYING_ID, qualifyingFrames } from './qualifying.ts';
import { RACE_ID, raceFrames } from './race.ts';
import { SPRINT_ID, sprintFrames } from './sprint.ts';

/** A scripted session. Makes its frames and timeline once, on first use. */
export class GoldenSession implements TestSession {
  readonly head: TimelineHead;
  readonly #script: () => readonly Frame[];
  #frames: readonly Frame[] | null = null;
  #timeline: Timeline | null = null;

  constructor(sessionId: string, seriesId: string, script: () => readonly Frame[]) {
    this.head = { sessionId, seriesId };
    this.#script = script;
  }

  get sessionId(): string {
    return this.head.sessionId;
  }

  get frames(): readonly Frame[] {
    this.#frames ??= this.#script();
    return this.#frames;
  }

  get timeline(): Timeline {
    this.#timeline ??= deriveTimeline(this.head, this.frames);
    return this.#timeline;
  }
}

export const RACE = new GoldenSession(RACE_ID, 'f1', raceFrames);
export const SPRINT = new GoldenSession(SPRINT_ID, 'f1', sprintFrames);
export const QUALIFYING = new GoldenSession(QUALIFYING_ID, 'f1', qualifyingFrames);
export const PRACTICE = new GoldenSession(PRACTICE_ID, 'f1', practiceFrames);
export const KARTING_HEAT = new GoldenSession(HEAT_ID, 'karting', heatFrames);

export const F1_SESSIONS = [RACE, SPRINT, QUALIFYING, PRACTICE] as const;
export const GOLDEN_SESSIONS = [...F1_SESSIONS, KARTING_HEAT] as const;
