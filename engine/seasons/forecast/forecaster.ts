// Forecasts a race weekend. The constructor learns from the history once. Each forecast then fits a few weights to
// earlier races and runs the simulations. The same history, question and seed give the same forecast to the last bit.

import { assert } from '#engine/base/assert.ts';
import { DRIVERS_MAX, FORECAST_SEASON_RACES_MAX, FORECAST_SIMULATIONS_MAX } from '#engine/base/limits.ts';
import { seededRandom } from '#engine/base/random.ts';
import { exposureOf, pointsOf, type RaceKind } from '#engine/racing/race-kind.ts';
import type { History, RaceWeekend } from '#engine/seasons/history/history.ts';
import { type SeasonRace, simulateSeasons, type TitleProbabilities } from './championship.ts';
import type { CircuitFacts, CircuitRecord } from './circuit-facts.ts';
import { type Field, fieldOf } from './field.ts';
import type { DriverForecast, EventForecast, ForecastQuestion, QualifyingForecast, WeekendKnown } from './forecast.ts';
import { constructorForms, driverForms, type Standings, standingsBefore } from './form.ts';
import { gridFeatures } from './grid-effect.ts';
import { type Basis, type Beliefs, featuresOf, Knowledge, type Ranking, type Stage } from './knowledge.ts';
import { MODEL_SETTINGS, type ModelSettings } from './model-settings.ts';
import { type PracticeGaps, practiceGaps } from './performance.ts';
import { type RaceModel, type RaceTally, simulateRaces } from './race-simulation.ts';
import type { Entrant } from './ratings.ts';
import type { RetirementRecord } from './retirement-hazard.ts';
import { strategyOf } from './strategy.ts';

/**
 * Published shares of races with 0, 1, 2 and 3 safety cars. The share of races with any at all comes from the circuit.
 */
export const SAFETY_CARS: readonly number[] = [0.455, 0.413, 0.099, 0.033];
/** Combined with the seed, so qualifying and season draw other random numbers than the race. */
const QUALIFYING_SEED = 0x51ed2701;
const SEASON_SEED = 0x2c1b3c6d;

/** What the models knew of a weekend before its race. */
interface Origin {
  readonly index: number;
  readonly weekend: RaceWeekend;
  readonly beliefs: (stage: Stage) => Beliefs;
  readonly weights: (ranking: Ranking, basis: Basis) => Float64Array;
  /** Null: not known. */
  readonly practice: ((driverId: string) => PracticeGaps) | null;
  readonly circuits: CircuitRecord;
  readonly retirements: RetirementRecord;
}

/** What a race is forecast from. */
interface RankingBasis extends Pick<Origin, 'practice'> {
  readonly ranking: Ranking;
  readonly beliefs: Beliefs;
}

interface RaceBasis extends RankingBasis {
  readonly known: WeekendKnown;
}

/** By driver, with the newest weekend they were learnt from. Null: none. */
export interface Strengths {
  readonly learntTo: string | null;
  readonly drivers: ReadonlyMap<string, number>;
  /** The chance of retiring from a Grand Prix. */
  readonly retirements: ReadonlyMap<string, number>;
}

/** The tally of a race simulated many times. */
export interface RaceOutlook {
  readonly field: Field;
  readonly known: WeekendKnown;
  readonly tally: RaceTally;
}

export class Forecaster {
  readonly #history: History;
  readonly #settings: ModelSettings;
  readonly #knowledge: Knowledge;
  readonly #indices: ReadonlyMap<string, number>;
  /** Cached for the latest weekend, because the next question is often about the same one. */
  #latest: Origin | null = null;

  constructor(history: History, settings: ModelSettings = MODEL_SETTINGS) {
    this.#history = history;
    this.#settings = settings;
    this.#knowledge = new Knowledge(history, settings);
    this.#indices = new Map(history.weekends.map(({ eventId }, index) => [eventId, index]));
  }

  /** Whether the history has the weekend. */
  knows(eventId: string): boolean {
    return this.#indices.has(eventId);
  }

  /** Forecasts a weekend for which `knows` returns true. */
  forecast(question: ForecastQuestion): EventForecast {
    const origin = this.#origin(question);
    const { index, weekend, circuits } = origin;
    const before = this.#history.weekends.slice(0, index);
    const outlook = this.#simulateRace(question, origin);
    const standings = standingsBefore(before, weekend.season);
    // Races that were held but are not in the history yet are simulated like future ones.
    const left = this.#history.weekends.filter(
      ({ season, results }, at) => season === weekend.season && (at >= index || results.length === 0),
    );
    const titles = this.#simulateSeason(question, origin, outlook.field, left, standings);
    return {
      eventId: question.eventId,
      race: question.race,
      gridKnown: outlook.field.slots !== null,
      known: outlook.known,
      learntTo: before.findLast(({ results }) => results.length > 0)?.eventId ?? null,
      drivers: driverForecasts(outlook),
      qualifying: this.#qualifying(question, origin, outlook.field),
      strategy: strategyOf(before, weekend, question.race),
      circuit: this.#circuitFacts(circuits, weekend),
      championship: {
        racesLeft: left.length,
        sprintsLeft: left.filter(({ hasSprint }) => hasSprint).length,
        drivers: driverForms(before, standings, outlook.field.entrants, titles.drivers),
        constructors: constructorForms(standings, titles.constructors),
      },
    };
  }

  /** Simulates the race alone and returns the full tally, which holds more than a forecast. */
  raceOutlook(question: ForecastQuestion): RaceOutlook {
    return this.#simulateRace(question, this.#origin(question));
  }

  /**
   * How strong each driver was before the weekend: what the ratings say without its grid, practice or sprint. The
   * logarithm of the odds to win, relative to the mean of the field. A history that ends before the weekend says the same.
   */
  strengths(eventId: string): Strengths {
    const index = this.#indices.get(eventId);
    assert(index !== undefined, `the weekend is known: ${eventId}`);
    const { entrants } = fieldOf(this.#history, index, 'grand_prix', []);
    const beliefs = this.#knowledge.beliefs(index, 'before');
    const weights = this.#knowledge.weights(index, 'withoutGrid', 'rated');
    const utilities = entrants.map((entrant) => weighted(weights, featuresOf(beliefs, entrant, [], null)));
    const mean = utilities.reduce((sum, utility) => sum + utility, 0) / Math.max(1, utilities.length);
    const record = this.#knowledge.retirements(index);
    const { circuitId } = this.#history.weekends[index]!;
    return {
      learntTo: this.#history.weekends.findLast(({ results }, at) => at < index && results.length > 0)?.eventId ?? null,
      drivers: new Map(entrants.map(({ driverId }, driver) => [driverId, utilities[driver]! - mean])),
      retirements: new Map(
        entrants.map((entrant) => [entrant.driverId, record.hazard(entrant, circuitId, 'grand_prix')]),
      ),
    };
  }

  #origin({ eventId, grid, simulations }: ForecastQuestion): Origin {
    const index = this.#indices.get(eventId);
    assert(index !== undefined, `the weekend is known: ${eventId}`);
    assert(
      simulations >= 1 && simulations <= FORECAST_SIMULATIONS_MAX,
      'the number of simulations is within its bounds',
    );
    assert(grid === null || grid.length <= DRIVERS_MAX, 'a grid has no more drivers than a session');
    if (this.#latest?.index === index) return this.#latest;
    const weekend = this.#history.weekends[index]!;
    const fitted = new Map<string, Float64Array>();
    this.#latest = {
      index,
      weekend,
      beliefs: (stage) => this.#knowledge.beliefs(index, stage),
      weights: (ranking, basis) => {
        const key = `${ranking} ${basis}`;
        const weights = fitted.get(key) ?? this.#knowledge.weights(index, ranking, basis);
        fitted.set(key, weights);
        return weights;
      },
      practice: practiceGaps(weekend, this.#settings.practiceGapMax),
      circuits: this.#knowledge.circuits(index),
      retirements: this.#knowledge.retirements(index),
    };
    return this.#latest;
  }

  /** Simulates its qualifying alone: drivers and places as in a race without retirements. */
  qualifyingOutlook(question: ForecastQuestion): RaceOutlook {
    const origin = this.#origin(question);
    const field = fieldOf(this.#history, origin.index, question.race, question.grid);
    return this.#simulateQualifying(question, origin, field);
  }

  #simulateRace(question: ForecastQuestion, origin: Origin): RaceOutlook {
    const { race, grid, simulations, seed } = question;
    const { index, weekend } = origin;
    const field = fieldOf(this.#history, index, race, grid);
    const basis = this.#basisOf(question, origin, field);
    const model = this.#raceModel(origin, weekend, field, race, basis);
    const tally = simulateRaces(model, pointsOf(weekend.season, race), simulations, seededRandom(seed));
    return { field, known: basis.known, tally };
  }

  /** A grid that is given stands alone. */
  #basisOf({ race, grid }: ForecastQuestion, { weekend, beliefs, practice }: Origin, { slots }: Field): RaceBasis {
    const isSprint = race === 'sprint';
    if (slots === null) {
      const known = practice === null ? 'nothing' : 'practice';
      return { known, ranking: 'withoutGrid', beliefs: beliefs(isSprint ? 'before' : 'qualifying'), practice };
    }
    const times = isSprint ? weekend.sprintQualifying : weekend.qualifying;
    if (grid === null && times.length > 0) {
      return { known: 'qualifying', ranking: 'withGrid', beliefs: beliefs(isSprint ? 'sprint' : 'race'), practice };
    }
    return {
      known: 'grid',
      ranking: 'gridAlone',
      beliefs: beliefs('before'),
      practice: grid === null ? practice : null,
    };
  }

  /** `weekend` is the one in question or another one left in the season. */
  #raceModel(
    origin: Origin,
    weekend: RaceWeekend,
    { entrants, slots }: Field,
    kind: RaceKind,
    { ranking, beliefs, practice }: RankingBasis,
  ): RaceModel {
    const { circuits, retirements } = origin;
    const { overtakingDifficulty, safetyCar } = this.#circuitFacts(circuits, weekend);
    const neutralised = safetyCar.rate * exposureOf(kind);
    const weights = origin.weights(ranking, practice === null ? 'rated' : 'practised');
    return {
      utilities: Float64Array.from(entrants, (entrant, driver) => {
        const grid = slots === null ? [] : gridFeatures(slots[driver]!, overtakingDifficulty.value);
        return weighted(weights, featuresOf(beliefs, entrant, grid, practice?.(entrant.driverId) ?? null));
      }),
      hazards: Float64Array.from(entrants, (entrant) => retirements.hazard(entrant, weekend.circuitId, kind)),
      neutralisations: SAFETY_CARS.map((share, count) =>
        count === 0 ? 1 - neutralised : (share / (1 - SAFETY_CARS[0]!)) * neutralised,
      ),
      neutralisationNoise: this.#settings.neutralisationNoise,
    };
  }

  #simulateQualifying({ race, grid, simulations, seed }: ForecastQuestion, origin: Origin, field: Field): RaceOutlook {
    const { entrants } = field;
    const onlyGrid = grid !== null && grid.length > 0;
    const beliefs = origin.beliefs(onlyGrid || race === 'sprint' ? 'before' : 'qualifying');
    const practice = onlyGrid ? null : origin.practice;
    const weights = origin.weights('qualifying', practice === null ? 'rated' : 'practised');
    const model: RaceModel = {
      utilities: Float64Array.from(entrants, (entrant) =>
        weighted(weights, featuresOf(beliefs, entrant, [], practice?.(entrant.driverId) ?? null)),
      ),
      hazards: new Float64Array(entrants.length),
      neutralisations: [1],
      neutralisationNoise: 0,
    };
    const tally = simulateRaces(model, [], simulations, seededRandom(seed ^ QUALIFYING_SEED));
    return { field, known: practice === null ? 'nothing' : 'practice', tally };
  }

  #qualifying(question: ForecastQuestion, origin: Origin, field: Field): QualifyingForecast[] {
    const { simulations } = question;
    const { entrants } = field;
    const { places } = this.#simulateQualifying(question, origin, field).tally;
    return entrants
      .map((entrant, driver) => {
        const counts = places.subarray(driver * entrants.length, (driver + 1) * entrants.length);
        return {
          ...entrant,
          pole: shareOf(counts, 1, simulations),
          topThree: shareOf(counts, 3, simulations),
          topTen: shareOf(counts, 10, simulations),
          expectedPosition: meanPlace(counts, simulations),
        };
      })
      .sort((a, b) => b.pole - a.pole || a.expectedPosition - b.expectedPosition);
  }

  #simulateSeason(
    question: ForecastQuestion,
    origin: Origin,
    field: Field,
    left: readonly RaceWeekend[],
    standings: Standings,
  ): TitleProbabilities {
    const { race, simulations, seed } = question;
    const { index, weekend } = origin;
    const basis = this.#basisOf(question, origin, field);
    const { beliefs } = basis;
    const later: RankingBasis = { ranking: 'withoutGrid', beliefs, practice: null };
    const usual = fieldOf(this.#history, index, race, []);
    const entrants: Entrant[] = [];
    const rows = new Map<string, number>();
    for (const entrant of [...field.entrants, ...usual.entrants]) {
      if (rows.has(entrant.driverId)) continue;
      rows.set(entrant.driverId, entrants.push(entrant) - 1);
    }
    const plan = (planned: RaceWeekend, kind: RaceKind): SeasonRace => {
      const asked = planned === weekend && kind === race;
      const own = asked ? field : usual;
      return {
        model: this.#raceModel(origin, planned, own, kind, asked ? basis : later),
        entrants: own.entrants.map(({ driverId }) => rows.get(driverId)!),
        kind,
        points: pointsOf(planned.season, kind),
      };
    };
    const races = left.flatMap((planned) => [
      ...(planned.hasSprint ? [plan(planned, 'sprint')] : []),
      plan(planned, 'grand_prix'),
    ]);
    const uncertainty = (
      variance: (kind: 'race' | 'qualifying') => number,
      drift: 'driverDrift' | 'constructorDrift',
    ): number => {
      // Strengths drift until the end of the season. The race halfway through the rest stands for all of them.
      const of = (kind: 'race' | 'qualifying'): number =>
        variance(kind) + (left.length / 2) * this.#settings[kind][drift] ** 2;
      const [raceWeight, qualifyingWeight] = origin.weights('withoutGrid', 'rated');
      return Math.sqrt(raceWeight! ** 2 * of('race') + qualifyingWeight! ** 2 * of('qualifying'));
    };
    return simulateSeasons(
      {
        entrants,
        driverUncertainties: entrants.map(({ driverId }) =>
          uncertainty((kind) => beliefs[kind].driverVariance(driverId), 'driverDrift'),
        ),
        constructorUncertainties: new Map(
          entrants.map(({ constructorId }) => [
            constructorId,
            uncertainty((kind) => beliefs[kind].constructorVariance(constructorId), 'constructorDrift'),
          ]),
        ),
        races,
        ...standings,
      },
      Math.min(simulations, Math.ceil(FORECAST_SEASON_RACES_MAX / races.length)),
      seededRandom(seed ^ SEASON_SEED),
    );
  }

  #circuitFacts(circuits: CircuitRecord, { circuitId }: RaceWeekend): CircuitFacts {
    return circuits.facts(this.#history.circuits.get(circuitId) ?? { circuitId, name: circuitId });
  }
}

function driverForecasts({ field: { entrants, slots }, tally }: RaceOutlook): DriverForecast[] {
  const { simulations, places, retirements, scored, points } = tally;
  return entrants
    .map((entrant, driver) => {
      const counts = places.subarray(driver * entrants.length, (driver + 1) * entrants.length);
      return {
        ...entrant,
        gridPosition: slots?.[driver] ?? null,
        win: shareOf(counts, 1, simulations),
        podium: shareOf(counts, 3, simulations),
        points: scored[driver]! / simulations,
        retirement: retirements[driver]! / simulations,
        expectedPosition: meanPlace(counts, simulations),
        expectedPoints: points[driver]! / simulations,
      };
    })
    .sort((a, b) => b.win - a.win || a.expectedPosition - b.expectedPosition);
}

/** The share of simulations in which the driver took one of the first `places` places. */
function shareOf(counts: Uint32Array, places: number, simulations: number): number {
  return counts.subarray(0, places).reduce((sum, count) => sum + count, 0) / simulations;
}

function meanPlace(counts: Uint32Array, simulations: number): number {
  return counts.reduce((sum, count, place) => sum + count * (place + 1), 0) / simulations;
}

function weighted(weights: Float64Array, features: readonly number[]): number {
  return features.reduce((sum, feature, index) => sum + feature * weights[index]!, 0);
}
