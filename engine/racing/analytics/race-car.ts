// What the models know of one car in a race: its laps, tires, pit visits and position.

export interface LapRecord {
  readonly lap: number;
  /** Null: not reported. */
  readonly ms: number | null;
  readonly clean: boolean;
  /** Such as "SOFT". Null: not reported. */
  readonly compound: string | null;
  /** Laps on the tires at the end of the lap. Null: not reported. */
  readonly tireAge: number | null;
  /** Gap to the car ahead at the end of the lap. Null: not reported, or no car ahead. */
  readonly aheadSeconds: number | null;
  /** The leader's lap when this lap ended. Laps with the same value were driven under the same conditions. */
  readonly leaderLap: number;
  /** Seconds by sector; they add up to the lap. Null: not all reported. */
  readonly sectors: SectorTimes | null;
}

export type SectorTimes = readonly [number, number, number];

export type TrackStatus = 'green' | 'safety_car' | 'virtual_safety_car' | 'red_flag';

/** A visit to the pits during the race. */
export interface PitVisit {
  /** The lap on which the car came in. */
  readonly inLap: number;
  /** The track status when it came in. */
  readonly status: TrackStatus;
  /** The tires on which it came in. Null: not reported. */
  readonly compound: string | null;
  readonly tireAge: number | null;
}

export interface Stint {
  readonly compound: string | null;
  readonly isNew: boolean | null;
  /** Laps on the tires, including those before this race. */
  readonly tireAge: number;
  /** Laps on the tires when the stint began. Null: not reported. */
  readonly startAge: number | null;
  /** The lap of the race on which the stint began, from 1. */
  readonly fromLap: number;
}

export interface Car {
  readonly number: string;
  /** Completed laps in order, at most one entry per lap. */
  readonly laps: readonly LapRecord[];
  readonly lapsCompleted: number;
  /** In order. The last one is the current stint. */
  readonly stints: readonly Stint[];
  /** Number of pit visits during the race so far. */
  readonly stops: number;
  /** The same pit visits, in order. */
  readonly visits: readonly PitVisit[];
  readonly place: 'track' | 'pits' | 'out';
}

/** A car in the order of the race. */
export interface Standing {
  readonly car: Car;
  /** From 1. */
  readonly position: number;
  /**
   * Gap to the leader; whole laps for a lapped car. Null: not reported, or the lap time needed to convert laps is
   * unknown.
   */
  readonly gapSeconds: number | null;
  readonly lapsBehind: number;
  /** Gap to the car ahead. Null: not reported, or more than a lap. */
  readonly intervalSeconds: number | null;
}
