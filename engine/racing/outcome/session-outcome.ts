// How a session stands, or how it ended: what scores, leaderboards and grids are made of. As the timing tells it: penalties
// and disqualifications that come after the flag are not in it.

import type { MergedFrame, RaceEvent, RaceEventRule } from '#engine/racing/race-events/race-event-rule.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';

export interface CarOutcome {
  readonly number: string;
  /** Slug of the driver's name; null where the session does not name him. */
  readonly driver: string | null;
  readonly name: string | null;
  readonly tla: string | null;
  readonly team: string | null;
  readonly position: number | null;
  /** Place on the grid; null: not told, or from the pit lane. */
  readonly gridPlace: number | null;
  /** Null where the session has no timing. */
  readonly lapsCompleted: number | null;
  /** It has retired, as far as is known. */
  readonly out: boolean;
  /** Of a qualifying session: it was in the last part. */
  readonly reachedQ3: boolean;
}

/** A stop of a race that went on meanwhile. */
export interface LaneStop {
  readonly number: string;
  /** Lap at whose end it was. */
  readonly lap: number;
  /** Time in the pit lane. */
  readonly pitLaneMs: number;
}

export interface SessionOutcome {
  readonly phase: SessionPhase;
  readonly currentLap: number | null;
  readonly totalLaps: number | null;
  /** Best placed first; those without a position at the end. */
  readonly cars: readonly CarOutcome[];
  /** Number of the car with the fastest lap. */
  readonly fastestLap: string | null;
  /** In the order in which they were told. */
  readonly stops: readonly LaneStop[];
}

/** Follows the merged frames of one session, each with the race events that it told; so it is a function of them (I7). */
export interface OutcomeWatch {
  /** What tells all events that it needs, for those who need no others. Of one session. */
  rules(): readonly RaceEventRule[];
  apply(frame: MergedFrame, events: readonly RaceEvent[]): void;
  outcome(): SessionOutcome;
}
