// What the models know of one car in a race: its laps, its tires, its times in the pits, and where it stands.

export interface LapRecord {
  readonly lap: number;
  /** Null: not told. */
  readonly ms: number | null;
  readonly clean: boolean;
  /** "SOFT"; null: not told. */
  readonly compound: string | null;
  /** Laps that the tires had done when the lap ended; null: not told. */
  readonly tireAge: number | null;
  /** Gap to the car ahead when the lap ended; null: not told, or nobody. */
  readonly aheadSeconds: number | null;
  /** Lap that the leader was on when the lap ended: laps of the same one were driven under the same conditions. */
  readonly leaderLap: number;
}

export type TrackStatus = 'green' | 'safety_car' | 'virtual_safety_car' | 'red_flag';

/** A time in the pits during the race. */
export interface PitVisit {
  /** The lap on which the car came in. */
  readonly inLap: number;
  /** When it came in. */
  readonly status: TrackStatus;
  /** The tires on which it came in; null: not told. */
  readonly compound: string | null;
  readonly tireAge: number | null;
}

export interface Stint {
  readonly compound: string | null;
  readonly isNew: boolean | null;
  /** Laps that the tires have done, those before this race included. */
  readonly tireAge: number;
  /** Laps that they had done before; null: not told. */
  readonly startAge: number | null;
  /** Lap of the race on which it began, from 1. */
  readonly fromLap: number;
}

export interface Car {
  readonly number: string;
  /** Completed laps, in order; at most one for each lap. */
  readonly laps: readonly LapRecord[];
  readonly lapsCompleted: number;
  /** In order; the last is the present one. */
  readonly stints: readonly Stint[];
  /** Times in the pits during the race, so far. */
  readonly stops: number;
  /** The same times in the pits, in order. */
  readonly visits: readonly PitVisit[];
  readonly place: 'track' | 'pits' | 'out';
}

/** A car in the order of the race. */
export interface Standing {
  readonly car: Car;
  /** From 1. */
  readonly position: number;
  /** To the leader; of a lapped car as far as whole laps tell; null: not told, or how long a lap takes isn't. */
  readonly gapSeconds: number | null;
  readonly lapsBehind: number;
  /** To the car ahead; null: not told, or more than a lap. */
  readonly intervalSeconds: number | null;
}
