// What the models could know at each stage of a weekend. They learn in one pass over the history and keep snapshots, so a
// forecast never sees its own session or a later one.

import type { History, RaceResult, RaceWeekend } from '#engine/seasons/history/history.ts';
import { CircuitRecord } from './circuit-facts.ts';
import { gridFeatures, slotsOf } from './grid-effect.ts';
import type { ModelSettings } from './model-settings.ts';
import { type PracticeGaps, practiceGaps, qualifyingGaps, raceScores } from './performance.ts';
import { fitRanking, fitTemperature, type RankedOrder } from './ranking-model.ts';
import { type Entrant, type RatingSnapshot, Ratings } from './ratings.ts';
import { RetirementRecord } from './retirement-hazard.ts';

export interface Beliefs {
  readonly qualifying: RatingSnapshot;
  readonly race: RatingSnapshot;
}

/**
 * The stages of a weekend at which it is forecast: before its first session that counts, on the grid of its sprint,
 * before the qualifying of its Grand Prix, and on the grid of that.
 */
export type Stage = 'before' | 'sprint' | 'qualifying' | 'race';

/** Since this season a sprint comes before the qualifying of the Grand Prix. */
const SPRINT_FIRST_SEASON = 2024;

/**
 * What is forecast: the order of qualifying; that of the race without a grid, with the grid alone, and with a grid whose
 * qualifying has taught the ratings.
 */
export type Ranking = 'qualifying' | 'withoutGrid' | 'gridAlone' | 'withGrid';
/** Whether practice is known. */
export type Basis = 'rated' | 'practised';

/** The orders of one weekend. Empty if the session was not held, or if grid or practice are not known. */
type WeekendOrders = Readonly<Record<Ranking, Readonly<Record<Basis, RankedOrder>>>>;

export class Knowledge {
  readonly #history: History;
  readonly #settings: ModelSettings;
  /** By index of the weekend. */
  readonly #beliefs: Readonly<Record<Stage, Beliefs>>[] = [];
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
      const before = { qualifying: qualifying.snapshot(), race: race.snapshot() };
      qualifying.learn(qualifyingGaps(weekend.sprintQualifying));
      const onSprintGrid = { ...before, qualifying: qualifying.snapshot() };
      race.learn(raceScores(weekend.sprintResults));
      const afterSprint = { ...onSprintGrid, race: race.snapshot() };
      qualifying.learn(qualifyingGaps(weekend.qualifying));
      const beliefs = {
        before,
        sprint: onSprintGrid,
        qualifying: weekend.season >= SPRINT_FIRST_SEASON ? afterSprint : before,
        race: { ...afterSprint, qualifying: qualifying.snapshot() },
      };
      const { overtakingDifficulty } = circuits.facts({ circuitId: weekend.circuitId, name: '' });
      this.#beliefs.push(beliefs);
      this.#orders.push(ordersOf(weekend, beliefs, overtakingDifficulty.value, settings.practiceGapMax));
      race.learn(raceScores(weekend.results));
      circuits.learn(weekend);
    }
  }

  /** Ratings at a stage of the weekend at this index. */
  beliefs(index: number, stage: Stage): Beliefs {
    return this.#beliefs[index]![stage];
  }

  /** Weights of the features, fitted to all orders before a weekend. */
  weights(index: number, ranking: Ranking, basis: Basis): Float64Array {
    const { weightPriors, ranking: settings, temperature } = this.#settings;
    const orders = this.orders(index, ranking, basis);
    const weights = fitRanking(orders, weightPriors[ranking][basis], settings);
    const factor = fitTemperature(orders, weights, temperature);
    return weights.map((weight) => weight * factor);
  }

  /** The orders of the weekends before this index, with what was known of each driver. */
  orders(index: number, ranking: Ranking, basis: Basis): readonly RankedOrder[] {
    return this.#orders.slice(0, index).map((weekend) => weekend[ranking][basis]);
  }

  circuits(index: number): CircuitRecord {
    const circuits = new CircuitRecord(this.#settings.circuitPrior);
    for (const weekend of this.#history.weekends.slice(0, index)) circuits.learn(weekend);
    return circuits;
  }

  retirements(index: number): RetirementRecord {
    const retirements = new RetirementRecord(this.#settings.retirements);
    for (const weekend of this.#history.weekends.slice(0, index)) retirements.learn(weekend);
    return retirements;
  }
}

/** The features of a driver, in the order of the weights: ratings, grid, practice, as far as they are known. */
export function featuresOf(
  { race, qualifying }: Beliefs,
  entrant: Entrant,
  grid: readonly number[],
  practice: PracticeGaps | null,
): readonly number[] {
  const practised = practice === null ? [] : [-practice.best, -practice.mean];
  return [race.rating(entrant), -qualifying.rating(entrant), ...grid, ...practised];
}

function ordersOf(
  weekend: RaceWeekend,
  beliefs: Readonly<Record<Stage, Beliefs>>,
  overtakingDifficulty: number,
  practiceGapMax: number,
): WeekendOrders {
  const { grid } = weekend;
  const slots = slotsOf(grid);
  const practice = practiceGaps(weekend, practiceGapMax);
  const finished = classified(weekend.results);
  const bases = (
    entrants: readonly Entrant[],
    stage: Stage,
    gridOf: (entrant: Entrant) => readonly number[],
  ): Readonly<Record<Basis, RankedOrder>> => {
    const rows = (known: boolean): RankedOrder =>
      Float64Array.from(
        entrants.flatMap((entrant) =>
          featuresOf(beliefs[stage], entrant, gridOf(entrant), known ? practice!(entrant.driverId) : null),
        ),
      );
    return { rated: rows(false), practised: practice === null ? new Float64Array() : rows(true) };
  };
  const started = grid.length === 0 ? [] : finished;
  const gridOf = ({ driverId }: Entrant): readonly number[] =>
    gridFeatures(slots.get(driverId) ?? grid.length + 1, overtakingDifficulty);
  return {
    qualifying: bases(classified(weekend.qualifying), 'qualifying', () => []),
    withoutGrid: bases(finished, 'qualifying', () => []),
    gridAlone: bases(started, 'before', gridOf),
    withGrid: bases(started, 'race', gridOf),
  };
}

function classified<Result extends Pick<RaceResult, 'classification'>>(results: readonly Result[]): readonly Result[] {
  const placed = results.flatMap((result) =>
    result.classification.kind === 'classified' ? [{ result, position: result.classification.position }] : [],
  );
  return placed.sort((a, b) => a.position - b.position).map(({ result }) => result);
}
