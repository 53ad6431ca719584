// A rule for race events reads merged frames, keeps the state that it needs, and emits events.
// Race events favour precision, because customers act on them: we would rather miss one, or emit it late, than emit a
// wrong one.

import type { ChangeTree } from '#engine/racing/session/merge.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';
import type { RaceEventData } from '#schemas/webhook/race-events.ts';

/** An event of one of the types; its details are those of the type. */
export type RaceEventOf<Type extends RaceEventType> = {
  [Each in Type]: {
    readonly type: Each;
    /** Racing numbers of the drivers concerned; the driver who acts comes first. */
    readonly numbers: readonly string[];
    readonly data: RaceEventData[Each];
  };
}[Type];

export type RaceEvent = RaceEventOf<RaceEventType>;

/** The types of events without details. */
type PlainType = {
  [Type in RaceEventType]: keyof RaceEventData[Type] extends never ? Type : never;
}[RaceEventType];

/** A frame after the session state has merged it. */
export interface MergedFrame {
  readonly topic: string;
  readonly utcMs: number;
  readonly changes: ChangeTree;
  readonly state: SessionState;
  /**
   * Whether the message was a snapshot of its topic, as when a live connection begins. Its changes may have happened at
   * any time during a gap in the messages, and in any order. (Small topics send a snapshot with every message.)
   */
  readonly isSnapshot: boolean;
}

export interface RaceEventRule {
  /** The topics whose frames the rule reads. It sees no others. */
  readonly topics: readonly string[];
  apply(frame: MergedFrame): readonly RaceEvent[];
}

export const NO_EVENTS: readonly RaceEvent[] = [];

/** Returns an event without drivers and without details. */
export function plainEvent(type: PlainType): RaceEvent {
  return { type, numbers: [], data: {} };
}
