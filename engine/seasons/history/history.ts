// Past seasons: who drove for whom, how sessions ended, and which races are planned. Read from a release of f1db and
// stored in the database. The models learn from it, and it is the source of scores of old races.
//
// Ids of drivers, constructors and circuits are those of f1db. Customers see drivers and teams under the names of live
// timing: driver-slug.ts, team-name.ts.

/** The source of the data. Must be shown wherever the data is. */
export const HISTORY_ATTRIBUTION = 'History: F1DB (f1db.com), CC BY 4.0';

export interface Circuit {
  readonly circuitId: string;
  readonly name: string;
  readonly type: 'STREET' | 'RACE' | 'ROAD';
}

export interface HistoryDriver {
  readonly driverId: string;
  readonly name: string;
  /** Three letters. */
  readonly tla: string;
  /** ISO day. Null: not known. */
  readonly dateOfBirth: string | null;
}

export interface HistoryConstructor {
  readonly constructorId: string;
  readonly name: string;
}

/** A driver entered for a season. */
export interface SeasonEntry {
  readonly season: number;
  readonly driverId: string;
  readonly constructorId: string;
  /** Rounds he has taken part in so far. Empty before the season. */
  readonly rounds: readonly number[];
  readonly testDriver: boolean;
}

/** A driver in a session. */
export interface Participant {
  readonly driverId: string;
  readonly constructorId: string;
  /** The racing number, as text. */
  readonly number: string;
}

/** A driver's result in a session: a position, or the reason why there is none. */
export type Classification =
  | { readonly kind: 'classified'; readonly position: number }
  | { readonly kind: 'not_classified'; readonly reason: 'DNF' | 'DNS' | 'DSQ' | 'NC' | 'DNP' | 'EX' | 'DNQ' | 'DNPQ' };

/** In the order of the result. */
export interface RaceResult extends Participant {
  readonly classification: Classification;
  readonly laps: number;
  /** Race time of the winner and of drivers on his lap. Null for others. */
  readonly timeMs: number | null;
  /** Gap to the winner. Null for the winner, for lapped cars and for cars that did not finish. */
  readonly gapMs: number | null;
  readonly gapLaps: number | null;
  /** Also set for a classified car that was not running at the end. */
  readonly reasonRetired: string | null;
  readonly points: number;
}

/** The best time of a driver in a practice session. */
export interface PracticeTime extends Participant {
  /** From 1. */
  readonly session: number;
  readonly timeMs: number;
}

export interface QualifyingResult extends Participant {
  readonly classification: Classification;
  readonly q1Ms: number | null;
  readonly q2Ms: number | null;
  readonly q3Ms: number | null;
}

/** In the order of the grid. */
export interface GridPlace extends Participant {
  /** Null: a start from the pit lane. */
  readonly position: number | null;
}

export interface PitStopRecord extends Participant {
  /** From 1. */
  readonly stop: number;
  readonly lap: number;
  /** Time in the pit lane, which includes waiting there while a race is interrupted. */
  readonly timeMs: number;
}

export interface FastestLap extends Participant {
  /** Place among the drivers' fastest laps, from 1. */
  readonly rank: number;
  readonly lap: number | null;
  readonly timeMs: number | null;
}

/** After a race. */
export interface DriverStanding {
  readonly driverId: string;
  readonly position: number;
  readonly points: number;
}

export interface ConstructorStanding {
  readonly constructorId: string;
  readonly engineManufacturerId: string;
  readonly position: number;
  readonly points: number;
}

/** A race weekend, past or planned. A list is empty if its session was not held, is still to come, or is not known. */
export interface RaceWeekend {
  /** `2018-azerbaijan`; the ids of its sessions begin with it. */
  readonly eventId: string;
  readonly season: number;
  readonly round: number;
  /** "Azerbaijan Grand Prix". */
  readonly name: string;
  readonly circuitId: string;
  /** Distinguishes the layouts of one circuit. */
  readonly layoutId: string;
  /** ISO day of the race. */
  readonly day: string;
  /** Unix epoch milliseconds of the race start. Null: only the day is known. */
  readonly startUtcMs: number | null;
  /** Laps driven, or planned for a future race. */
  readonly laps: number;
  /** Planned laps of a race that was shortened. */
  readonly scheduledLaps: number | null;
  readonly hasSprint: boolean;
  /** In the order of the sessions, the fastest of each first. Drivers without a time are left out. */
  readonly practice: readonly PracticeTime[];
  readonly qualifying: readonly QualifyingResult[];
  readonly grid: readonly GridPlace[];
  readonly results: readonly RaceResult[];
  readonly fastestLaps: readonly FastestLap[];
  readonly pitStops: readonly PitStopRecord[];
  readonly sprintQualifying: readonly QualifyingResult[];
  readonly sprintGrid: readonly GridPlace[];
  readonly sprintResults: readonly RaceResult[];
  readonly driverStandings: readonly DriverStanding[];
  readonly constructorStandings: readonly ConstructorStanding[];
}

export interface History {
  readonly circuits: ReadonlyMap<string, Circuit>;
  readonly drivers: ReadonlyMap<string, HistoryDriver>;
  readonly constructors: ReadonlyMap<string, HistoryConstructor>;
  readonly entries: readonly SeasonEntry[];
  /** Sorted by season and round, including future weekends. */
  readonly weekends: readonly RaceWeekend[];
}
