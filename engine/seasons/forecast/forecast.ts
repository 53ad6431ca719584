// What the models expect of a race weekend: the question, and the answer in the history's ids. A function of history, question
// and seed alone.

import type { CircuitFacts } from './circuit-facts.ts';

export interface ForecastQuestion {
  /** A weekend of the history. */
  readonly eventId: string;
  /** Which of its races is asked about. */
  readonly race: 'grand_prix' | 'sprint';
  /**
   * Drivers in the order of the grid. Null: as the history knows it, if it does. Empty: not known yet, whatever the history
   * has. What happened in the weekend's races is never looked at, nor is anything after it.
   */
  readonly grid: readonly string[] | null;
  readonly simulations: number;
  readonly seed: number;
}

/** Share of the simulated races, 0 to 1. */
type Probability = number;

export interface DriverForecast {
  readonly driverId: string;
  readonly constructorId: string;
  /** Null when the grid is not known. */
  readonly gridPosition: number | null;
  readonly win: Probability;
  readonly podium: Probability;
  /** To score. */
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
  /** How likely a driver who finishes stops so often; the last entry stands for itself and more. */
  readonly stops: readonly { readonly stops: number; readonly probability: Probability }[];
  readonly meanStops: number;
  /** Lap of the first stop: quartiles. Null when nothing is known. */
  readonly firstStopLap: Quartiles | null;
  /** Time in the pit lane, seconds. */
  readonly pitLaneSeconds: Quartiles | null;
  /** Races that this is drawn from, those on this circuit among them, and stops whose time counts. */
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
  /** Championship position; null before the season's first race. */
  readonly position: number | null;
  readonly points: number;
  readonly titleProbability: Probability;
  /** The latest races, newest first, at most five. */
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
  /** The newest weekend that the models learnt from; null: none. */
  readonly learntTo: string | null;
  /** Most likely winner first. */
  readonly drivers: readonly DriverForecast[];
  /** Most likely pole first. */
  readonly qualifying: readonly QualifyingForecast[];
  readonly strategy: StrategyForecast;
  readonly circuit: CircuitFacts;
  readonly championship: {
    /** Of the season, this one included: those to come, and those before it whose results the history lacks. */
    readonly racesLeft: number;
    readonly sprintsLeft: number;
    readonly drivers: readonly DriverForm[];
    readonly constructors: readonly ConstructorForm[];
  };
}
