// What past races show about a circuit, each figure with the counts behind it.

import type { Circuit, RaceWeekend } from '#engine/seasons/history/history.ts';
import { slotsOf } from './grid-effect.ts';
import { hasRetired, hasStarted } from './race-start.ts';

/** A rate with its counts. With few races, `rate` is pulled towards the rate of all circuits. */
export interface CountedRate {
  readonly rate: number;
  readonly count: number;
  readonly races: number;
}

export interface CircuitFacts {
  readonly circuitId: string;
  readonly name: string;
  /**
   * 0: easy; 1: almost no passing. Measured by how much of the grid order remains at the end, compared with all
   * circuits.
   */
  readonly overtakingDifficulty: { readonly value: number; readonly meanPlacesMoved: number; readonly races: number };
  readonly poleToWin: CountedRate;
  /** Neutralised races, estimated from how slow they were. Rain, or traffic in Monaco, can look the same. */
  readonly safetyCar: CountedRate;
  /** Retirements among the drivers who started. */
  readonly retirements: { readonly rate: number; readonly count: number; readonly starts: number };
}

/**
 * A race counts as neutralised if the winner's mean lap was this many times the fastest lap of a good driver. Set so
 * that the share of such races in 2014 to 2021 equals the published share of races with a safety car.
 */
const NEUTRALISED_PACE = 1.0405;
/** Priors before any race: the published share of races with a safety car, and long-term means. */
const BEFORE = { placesMoved: 2.3, poleToWin: 0.5, safetyCar: 0.545, retirements: 0.15 };

interface Tally {
  races: number;
  /** Races with a grid, and the sum over them of the mean number of places that drivers moved. */
  gridRaces: number;
  placesMoved: number;
  poleWins: number;
  pacedRaces: number;
  neutralised: number;
  starts: number;
  retirements: number;
}

/** Accumulates the races so far by circuit. */
export class CircuitRecord {
  /** Weight of the rate of all circuits, in races. */
  readonly #prior: number;
  readonly #all: Tally = emptyTally();
  readonly #byCircuit = new Map<string, Tally>();

  constructor(prior: number) {
    this.#prior = prior;
  }

  learn(weekend: RaceWeekend): void {
    if (weekend.results.length === 0) return;
    const own = this.#byCircuit.get(weekend.circuitId) ?? emptyTally();
    this.#byCircuit.set(weekend.circuitId, own);
    for (const tally of [own, this.#all]) addRace(tally, weekend);
  }

  facts(circuit: Pick<Circuit, 'circuitId' | 'name'>): CircuitFacts {
    const own = this.#byCircuit.get(circuit.circuitId) ?? emptyTally();
    const all = this.#all;
    const rate = (count: number, races: number, allCount: number, allRaces: number, before: number): number => {
      const mean = (allCount + this.#prior * before) / (allRaces + this.#prior);
      return (count + this.#prior * mean) / (races + this.#prior);
    };
    const moved = rate(own.placesMoved, own.gridRaces, all.placesMoved, all.gridRaces, BEFORE.placesMoved);
    const movedElsewhere = rate(0, 0, all.placesMoved, all.gridRaces, BEFORE.placesMoved);
    const starters = all.races === 0 ? 20 : all.starts / all.races;
    return {
      circuitId: circuit.circuitId,
      name: circuit.name,
      overtakingDifficulty: {
        value: Math.min(1, Math.max(0, 1.5 - moved / movedElsewhere)),
        meanPlacesMoved: own.gridRaces === 0 ? moved : own.placesMoved / own.gridRaces,
        races: own.gridRaces,
      },
      poleToWin: {
        rate: rate(own.poleWins, own.gridRaces, all.poleWins, all.gridRaces, BEFORE.poleToWin),
        count: own.poleWins,
        races: own.gridRaces,
      },
      safetyCar: {
        rate: rate(own.neutralised, own.pacedRaces, all.neutralised, all.pacedRaces, BEFORE.safetyCar),
        count: own.neutralised,
        races: own.pacedRaces,
      },
      retirements: {
        rate:
          rate(
            own.retirements,
            own.starts / starters,
            all.retirements,
            all.starts / starters,
            BEFORE.retirements * starters,
          ) / starters,
        count: own.retirements,
        starts: own.starts,
      },
    };
  }
}

function emptyTally(): Tally {
  return {
    races: 0,
    gridRaces: 0,
    placesMoved: 0,
    poleWins: 0,
    pacedRaces: 0,
    neutralised: 0,
    starts: 0,
    retirements: 0,
  };
}

function addRace(tally: Tally, weekend: RaceWeekend): void {
  const { results, grid } = weekend;
  tally.races++;
  const started = results.filter((result) => hasStarted(result));
  tally.starts += started.length;
  tally.retirements += started.filter((result) => hasRetired(result)).length;
  if (grid.length > 0) {
    const slots = slotsOf(grid);
    const finished = results
      .flatMap(({ driverId, classification }) =>
        classification.kind === 'classified'
          ? [{ slot: slots.get(driverId) ?? grid.length + 1, position: classification.position }]
          : [],
      )
      .sort((a, b) => a.position - b.position);
    const bySlot = finished.toSorted((a, b) => a.slot - b.slot);
    const moved = finished.reduce((sum, entry, place) => sum + Math.abs(bySlot.indexOf(entry) - place), 0);
    tally.gridRaces++;
    tally.placesMoved += moved / Math.max(1, finished.length);
    if (finished[0]?.slot === 1) tally.poleWins++;
  }
  const pace = paceOf(weekend);
  if (pace === null) return;
  tally.pacedRaces++;
  if (pace > NEUTRALISED_PACE) tally.neutralised++;
}

/** The winner's mean lap divided by the fastest lap at the first quartile of the drivers. Null: not known. */
function paceOf({ results, fastestLaps, laps }: RaceWeekend): number | null {
  const winner = results.find(
    ({ classification }) => classification.kind === 'classified' && classification.position === 1,
  );
  const times = fastestLaps.flatMap(({ timeMs }) => (timeMs === null ? [] : [timeMs])).sort((a, b) => a - b);
  if (winner === undefined || winner.timeMs === null || times.length === 0 || laps === 0) return null;
  return winner.timeMs / laps / times[times.length >> 2]!;
}
