// What is known of past seasons: who drove for whom, how sessions ended, and what is planned. Read from a release of f1db and
// kept in the database; what the models learn from, and where the scores of races long past come from.
//
// Ids of drivers, constructors and circuits are those of the history. To customers a driver is called as in live timing:
// see driver-slug.ts.

/** Where the data came from; shown wherever it is. */
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
  /** ISO day; null where it is not known. */
  readonly dateOfBirth: string | null;
}

export interface HistoryConstructor {
  readonly constructorId: string;
  readonly name: string;
}

/** Who is entered for a season. */
export interface SeasonEntry {
  readonly season: number;
  readonly driverId: string;
  readonly constructorId: string;
  /** Rounds that he took part in so far; empty before the season. */
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

/** How somebody's session ended: with a position, or why without one. */
export type Classification =
  | { readonly kind: 'classified'; readonly position: number }
  | { readonly kind: 'not_classified'; readonly reason: 'DNF' | 'DNS' | 'DSQ' | 'NC' | 'DNP' | 'EX' | 'DNQ' | 'DNPQ' };

/** In the order of the result. */
export interface RaceResult extends Participant {
  readonly classification: Classification;
  readonly laps: number;
  /** The winner's own time, and of those on his lap. */
  readonly timeMs: number | null;
  /** Behind the winner; null for him, for lapped cars and for those that did not finish. */
  readonly gapMs: number | null;
  readonly gapLaps: number | null;
  /** Set also for a classified car that did not run at the end. */
  readonly reasonRetired: string | null;
  readonly points: number;
}

export interface QualifyingResult extends Participant {
  readonly classification: Classification;
  readonly q1Ms: number | null;
  readonly q2Ms: number | null;
  readonly q3Ms: number | null;
}

/** In the order of the grid. */
export interface GridPlace extends Participant {
  /** Null for a start from the pit lane. */
  readonly position: number | null;
}

export interface PitStopRecord extends Participant {
  /** From 1. */
  readonly stop: number;
  readonly lap: number;
  /** In the pit lane; while a race is interrupted cars wait there. */
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

/** A race weekend, held or planned. Lists are empty for what was not held, or not yet, or is not known. */
export interface RaceWeekend {
  /** `2018-azerbaijan`; the ids of its sessions begin with it. */
  readonly eventId: string;
  readonly season: number;
  readonly round: number;
  /** "Azerbaijan Grand Prix". */
  readonly name: string;
  readonly circuitId: string;
  /** Tells layouts of one circuit apart. */
  readonly layoutId: string;
  /** ISO day of the race. */
  readonly day: string;
  /** Unix epoch milliseconds of the race's start; null where only the day is known. */
  readonly startUtcMs: number | null;
  /** Laps that were driven, or are planned. */
  readonly laps: number;
  /** Laps that were planned, where a race was shortened. */
  readonly scheduledLaps: number | null;
  readonly hasSprint: boolean;
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
  /** By season and round; those to come as well. */
  readonly weekends: readonly RaceWeekend[];
}
