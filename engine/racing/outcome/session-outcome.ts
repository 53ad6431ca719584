// The outcome of a session, so far or final. Scores, leaderboards and grids are made of it. It follows the timing, so
// penalties and disqualifications after the flag are not in it.

import type { MergedFrame, RaceEvent, RaceEventRule } from '#engine/racing/race-events/race-event-rule.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';

export interface CarOutcome {
  readonly number: string;
  /** Slug of the driver's name; null if the session has no name for this car. */
  readonly driver: string | null;
  readonly name: string | null;
  readonly tla: string | null;
  readonly team: string | null;
  /** Slug of the team's name. */
  readonly constructorId: string | null;
  readonly position: number | null;
  /** Place on the grid; null if unknown, or for a start from the pit lane. */
  readonly gridPlace: number | null;
  /** Null if the session has no timing. */
  readonly lapsCompleted: number | null;
  /** Whether the car has retired, as far as is known. */
  readonly out: boolean;
  /** Whether the car was in the last part of qualifying. */
  readonly reachedQ3: boolean;
}

/** A pit stop while the race was running. */
export interface LaneStop {
  readonly number: string;
  /** The lap at the end of which the car stopped. */
  readonly lap: number;
  /** Time in the pit lane. */
  readonly pitLaneMs: number;
}

export interface SessionOutcome {
  readonly phase: SessionPhase;
  readonly currentLap: number | null;
  readonly totalLaps: number | null;
  /** Best placed first; cars without a position last. */
  readonly cars: readonly CarOutcome[];
  /** Number of the car with the fastest lap. */
  readonly fastestLap: string | null;
  /** In the order of their events. */
  readonly stops: readonly LaneStop[];
}

/** Follows the merged frames of one session and their race events. The outcome is a pure function of them (I7). */
export interface OutcomeTracker {
  /** Creates the rules that emit the events needed here, for a caller that needs no others. For one session. */
  rules(): readonly RaceEventRule[];
  apply(frame: MergedFrame, events: readonly RaceEvent[]): void;
  outcome(): SessionOutcome;
}
