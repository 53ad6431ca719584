// What a rule for race events is: it watches the frames after they were merged, remembers what it needs, and tells events.
// Events are rather missed or late than wrong: customers act on them.

import type { ChangeTree } from '#engine/racing/session/merge.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';
import type { RaceEventData } from '#schemas/webhook/race-events.ts';

export interface RaceEvent {
  readonly type: RaceEventType;
  /** Racing numbers of the drivers concerned, the one who acts first. */
  readonly numbers: readonly string[];
  readonly data: RaceEventData;
}

/** A frame after it was merged. */
export interface MergedFrame {
  readonly topic: string;
  readonly utcMs: number;
  readonly changes: ChangeTree;
  readonly state: SessionState;
  /**
   * Whether the message was the topic's whole state, as at the beginning of a live connection. What it changed may have
   * happened at any time during a gap and in any order. (Small topics say it with every message.)
   */
  readonly complete: boolean;
}

export interface RaceEventRule {
  /** The topics that the rule reads: it sees no frame of another. */
  readonly topics: readonly string[];
  apply(frame: MergedFrame): readonly RaceEvent[];
}

export const NO_EVENTS: readonly RaceEvent[] = [];

/** An event that concerns nobody in particular and has no details. */
export function plainEvent(type: RaceEventType): RaceEvent {
  return { type, numbers: [], data: {} };
}
