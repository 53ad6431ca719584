// The forecast of a race weekend: the question, and the result in the history's ids. It depends only on history,
// question and seed.

import type { CircuitFacts } from './circuit-facts.ts';

export interface ForecastQuestion {
  /** A weekend of the history. */
  readonly eventId: string;
  /** Which of its races to forecast. */
  readonly race: 'grand_prix' | 'sprint';
  /**
   * Null: use what the history has of the weekend, with its grid. Empty: treat the grid and the qualifying that sets it
   * as not known, even if the history has them. Otherwise drivers in the order of the grid, as the only thing known of
   * the weekend. The result of the race itself and anything later are never used.
   */
  readonly grid: readonly string[] | null;
  readonly simulations: number;
  readonly seed: number;
}

/** What was known of the weekend: nothing, practice, the grid alone, or the grid with the times that set it. */
export const WEEKEND_KNOWN = ['nothing', 'practice', 'grid', 'qualifying'] as const;
export type WeekendKnown = (typeof WEEKEND_KNOWN)[number];

/** Share of the simulated races, 0 to 1. */
type Probability = number;

export interface DriverForecast {
  readonly driverId: string;
  readonly constructorId: string;
  /** Null: the grid is not known. */
  readonly gridPosition: number | null;
  readonly win: Probability;
  readonly podium: Probability;
  /** The chance to score points. */
  readonly points: Probability;
  readonly retirement: Probability;
  readonly expectedPosition: number;
  readonly expectedPoints: number;
}

export interface QualifyingForecast {
  readonly driverId: string;
  readonly constructorId: string;
  readonly pole: Probability;
  readonly topThree: Probability;
  readonly topTen: Probability;
  readonly expectedPosition: number;
}

export interface StrategyForecast {
  /** The chance that a finisher makes so many stops. The last entry means "this many or more". */
  readonly stops: readonly { readonly stops: number; readonly probability: Probability }[];
  readonly meanStops: number;
  /** Quartiles of the lap of the first stop. Null: no data. */
  readonly firstStopLap: Quartiles | null;
  /** Quartiles of the time in the pit lane, in seconds. Null: no data. */
  readonly pitLaneSeconds: Quartiles | null;
  /** The data behind this: all races, the races on this circuit among them, and the stops behind the times. */
  readonly basis: { readonly races: number; readonly circuitRaces: number; readonly stops: number };
}

export interface Quartiles {
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
}

export interface DriverForm {
  readonly driverId: string;
  readonly constructorId: string;
  /** Championship position. Null before the season's first race. */
  readonly position: number | null;
  readonly points: number;
  readonly titleProbability: Probability;
  /** At most five races, newest first. */
  readonly latest: readonly {
    readonly eventId: string;
    /** Null: not classified. */
    readonly position: number | null;
    readonly points: number;
  }[];
}

export interface ConstructorForm {
  readonly constructorId: string;
  readonly position: number | null;
  readonly points: number;
  readonly titleProbability: Probability;
}

export interface EventForecast {
  readonly eventId: string;
  readonly race: 'grand_prix' | 'sprint';
  readonly gridKnown: boolean;
  readonly known: WeekendKnown;
  /** The newest weekend that the models learnt from. Null: none. */
  readonly learntTo: string | null;
  /** Most likely winner first. */
  readonly drivers: readonly DriverForecast[];
  /** Most likely pole first. */
  readonly qualifying: readonly QualifyingForecast[];
  readonly strategy: StrategyForecast;
  readonly circuit: CircuitFacts;
  readonly championship: {
    /** Races of the season from this one on, plus earlier ones whose results the history lacks. */
    readonly racesLeft: number;
    readonly sprintsLeft: number;
    readonly drivers: readonly DriverForm[];
    readonly constructors: readonly ConstructorForm[];
  };
}
