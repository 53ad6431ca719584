// What the models could know before each weekend. They learn in one pass over the history and keep a snapshot from
// before each weekend, so a forecast never sees its own weekend or a later one.

import type { History, RaceResult, RaceWeekend } from '#engine/seasons/history/history.ts';
import { CircuitRecord } from './circuit-facts.ts';
import { GRID_WEIGHTS_BEFORE, gridFeatures, slotsOf } from './grid-effect.ts';
import type { ModelSettings } from './model-settings.ts';
import { qualifyingGaps, raceScores } from './performance.ts';
import { fitRanking, type RankedOrder } from './ranking-model.ts';
import { type Entrant, type RatingSnapshot, Ratings } from './ratings.ts';
import { RetirementRecord } from './retirement-hazard.ts';

export interface Beliefs {
  readonly qualifying: RatingSnapshot;
  readonly race: RatingSnapshot;
}

/** Weights of the features, fitted to all finishing and qualifying orders before a weekend. */
export interface RankingWeights {
  readonly qualifying: Float64Array;
  readonly withoutGrid: Float64Array;
  readonly withGrid: Float64Array;
}

/** The orders of one weekend. Empty if the session was not held, and `withGrid` also if the grid is not known. */
type WeekendOrders = Readonly<Record<keyof RankingWeights, RankedOrder>>;

/** Prior weights of race rating and qualifying rating. */
const RATING_WEIGHTS_BEFORE = [1, 0.8];
const QUALIFYING_WEIGHTS_BEFORE = [0.3, 3];

export class Knowledge {
  readonly #history: History;
  readonly #settings: ModelSettings;
  /** By index of the weekend. */
  readonly #beliefs: Beliefs[] = [];
  readonly #orders: WeekendOrders[] = [];

  constructor(history: History, settings: ModelSettings) {
    this.#history = history;
    this.#settings = settings;
    const qualifying = new Ratings(settings.qualifying);
    const race = new Ratings(settings.race);
    const circuits = new CircuitRecord(settings.circuitPrior);
    for (const weekend of history.weekends) {
      qualifying.advance(weekend.season);
      race.advance(weekend.season);
      const beliefs = { qualifying: qualifying.snapshot(), race: race.snapshot() };
      const { overtakingDifficulty } = circuits.facts({ circuitId: weekend.circuitId, name: '' });
      this.#beliefs.push(beliefs);
      this.#orders.push(ordersOf(weekend, beliefs, overtakingDifficulty.value));
      qualifying.learn(qualifyingGaps(weekend.sprintQualifying));
      race.learn(raceScores(weekend.sprintResults));
      qualifying.learn(qualifyingGaps(weekend.qualifying));
      race.learn(raceScores(weekend.results));
      circuits.learn(weekend);
    }
  }

  /** Ratings before the weekend at this index. */
  beliefs(index: number): Beliefs {
    return this.#beliefs[index]!;
  }

  weights(index: number): RankingWeights {
    const before = this.#orders.slice(0, index);
    const fit = (kind: keyof RankingWeights, prior: readonly number[]): Float64Array =>
      fitRanking(
        before.map((orders) => orders[kind]),
        prior,
        this.#settings.ranking,
      );
    return {
      qualifying: fit('qualifying', QUALIFYING_WEIGHTS_BEFORE),
      withoutGrid: fit('withoutGrid', RATING_WEIGHTS_BEFORE),
      withGrid: fit('withGrid', [...RATING_WEIGHTS_BEFORE, ...GRID_WEIGHTS_BEFORE]),
    };
  }

  circuits(index: number): CircuitRecord {
    const circuits = new CircuitRecord(this.#settings.circuitPrior);
    for (const weekend of this.#history.weekends.slice(0, index)) circuits.learn(weekend);
    return circuits;
  }

  retirements(index: number): RetirementRecord {
    const { retirementPrior, retirementSeasonWeight } = this.#settings;
    const retirements = new RetirementRecord(retirementPrior, retirementSeasonWeight);
    for (const weekend of this.#history.weekends.slice(0, index)) retirements.learn(weekend);
    return retirements;
  }
}

/** The features of a driver, in the order of the weights. */
export function ratingFeatures({ race, qualifying }: Beliefs, entrant: Entrant): readonly number[] {
  return [race.rating(entrant), -qualifying.rating(entrant)];
}

function ordersOf(weekend: RaceWeekend, beliefs: Beliefs, overtakingDifficulty: number): WeekendOrders {
  const { grid } = weekend;
  const slots = slotsOf(grid);
  const finished = classified(weekend.results);
  return {
    qualifying: rowsOf(classified(weekend.qualifying), (entrant) => ratingFeatures(beliefs, entrant)),
    withoutGrid: rowsOf(finished, (entrant) => ratingFeatures(beliefs, entrant)),
    withGrid: rowsOf(grid.length === 0 ? [] : finished, (entrant) => [
      ...ratingFeatures(beliefs, entrant),
      ...gridFeatures(slots.get(entrant.driverId) ?? grid.length + 1, overtakingDifficulty),
    ]),
  };
}

function rowsOf(entrants: readonly Entrant[], features: (entrant: Entrant) => readonly number[]): RankedOrder {
  return Float64Array.from(entrants.flatMap(features));
}

function classified<Result extends Pick<RaceResult, 'classification'>>(results: readonly Result[]): readonly Result[] {
  const placed = results.flatMap((result) =>
    result.classification.kind === 'classified' ? [{ result, position: result.classification.position }] : [],
  );
  return placed.sort((a, b) => a.position - b.position).map(({ result }) => result);
}
