// What models say of stops, against tables of laps: analytics.strategy and analytics.tire-strategy, as the leader begins each
// lap. The simple rules are tables of past races: by fifth of the race and stops done (15 cells), and for the next tires by
// those on the car, whether it owes a compound, and third of the race.

import type { TableRace } from '#bench/laps/lap-tables.ts';
import { type StintCase, stintCases } from '#bench/laps/stint-cases.ts';
import { assert } from '#engine/base/assert.ts';
import { median } from '#engine/base/median.ts';
import { Strategy } from '#engine/racing/analytics/strategy.ts';
import { TIRE_KINDS, type TireKind } from '#engine/racing/analytics/tire-kinds.ts';
import { TireStrategy } from '#engine/racing/analytics/tire-strategy.ts';
import type { StrategyDriver } from '#schemas/webhook/analytics-strategy.ts';
import type { TireStrategyDriver } from '#schemas/webhook/analytics-tire-strategy.ts';
import { playRace } from './played-race.ts';
import type { Scored } from './scored.ts';
import { logLoss } from './scoring.ts';

export interface StopScores {
  /** Of the number of stops left: log-loss. */
  readonly stopsLeft: readonly Scored[];
  /** Of the lap of the next stop: error of the median in laps; told and happened: within the quartiles. */
  readonly nextStop: readonly Scored[];
  /** Of a stop within five laps: Brier score. */
  readonly stopSoon: readonly Scored[];
  /** Of the tires taken next: log-loss. */
  readonly nextTires: readonly Scored[];
}

const FIFTHS = 5;
const THIRDS = 3;
const STOPS_TOLD = 2;
const SOON_LAPS = 5;
/** Chances are clipped for every forecaster. */
const CERTAIN = 0.99;

export function stopScores(past: readonly TableRace[], later: readonly TableRace[]): StopScores {
  const rules = rulesOf(past.flatMap(stintCases));
  const found = {
    stopsLeft: [] as Scored[],
    nextStop: [] as Scored[],
    stopSoon: [] as Scored[],
    nextTires: [] as Scored[],
  };
  for (const race of later) {
    const cases = new Map(stintCases(race).map((one) => [`${one.number} ${one.lap}`, one]));
    if (cases.size === 0) continue;
    const next = nextChoices([...cases.values()]);
    const models = { strategy: new Strategy(), tires: new TireStrategy() };
    playRace(race, (picture, state, lap) => {
      const caseOf = (number: string) => cases.get(`${number} ${picture.car(number)!.lapsCompleted + 1}`);
      const strategy = models.strategy.emit(picture, state) as { readonly drivers: readonly StrategyDriver[] } | null;
      for (const driver of strategy?.drivers ?? []) {
        const one = caseOf(driver.number);
        if (one === undefined || one.stopsLeft === null) continue;
        found.stopsLeft.push(stopsLeftScore(one, driver, rules));
        if (one.nextStop !== null && driver.nextStopLap !== null)
          found.nextStop.push(nextStopScore(one, driver.nextStopLap, lap, rules));
      }
      const tires = models.tires.emit(picture, state) as { readonly drivers: readonly TireStrategyDriver[] } | null;
      for (const driver of tires?.drivers ?? []) {
        const one = caseOf(driver.number);
        if (one === undefined || one.stopsLeft === null) continue;
        const soon = driver.stopWithin.find(({ laps }) => laps === SOON_LAPS);
        if (soon !== undefined) found.stopSoon.push(stopSoonScore(one, soon.probability, rules));
        const taken = next.get(one);
        if (taken !== undefined) found.nextTires.push(nextTiresScore(one, taken, driver, rules));
      }
    });
  }
  return found;
}

interface Rules {
  stopsLeft(one: StintCase): readonly number[];
  /** Laps until the next stop. */
  nextStop(one: StintCase): number;
  stopSoon(one: StintCase): number;
  nextTires(one: StintCase): readonly number[];
}

function rulesOf(cases: readonly StintCase[]): Rules {
  const finished = cases.filter(({ stopsLeft }) => stopsLeft !== null);
  const stopsLeft = sharesOf(finished, cellOf, (one) => Math.min(STOPS_TOLD, one.stopsLeft!), STOPS_TOLD + 1);
  const soon = sharesOf(finished, cellOf, (one) => Number(isSoon(one)), 2);
  const parts = Map.groupBy(
    finished.filter(({ nextStop }) => nextStop !== null),
    cellOf,
  );
  const medians = new Map(
    [...parts].map(([cell, all]) => [
      cell,
      median(all.map(({ lap, nextStop, race }) => (nextStop! - lap) / race.laps)),
    ]),
  );
  const choices = nextChoices(cases);
  const tires = sharesOf(
    cases.filter((one) => choices.has(one)),
    tireCellOf,
    (one) => TIRE_KINDS.indexOf(choices.get(one)!),
    TIRE_KINDS.length,
  );
  return {
    stopsLeft,
    nextStop: (one) => (medians.get(cellOf(one)) ?? 0) * one.race.laps,
    stopSoon: (one) => soon(one)[1]!,
    nextTires: tires,
  };
}

/** The shares of what happened in the cell of a case, with one of each more. */
function sharesOf(
  cases: readonly StintCase[],
  cell: (one: StintCase) => string,
  happened: (one: StintCase) => number,
  size: number,
): (one: StintCase) => readonly number[] {
  const counts = new Map<string, number[]>();
  for (const one of cases) {
    const own = counts.get(cell(one)) ?? new Array<number>(size).fill(1);
    own[happened(one)]!++;
    counts.set(cell(one), own);
  }
  return (one) => {
    const own = counts.get(cell(one)) ?? new Array<number>(size).fill(1);
    const all = own.reduce((sum, count) => sum + count, 0);
    return own.map((count) => count / all);
  };
}

function cellOf({ lap, race, known }: StintCase): string {
  return `${Math.floor((FIFTHS * (lap - 1)) / race.laps)} ${Math.min(STOPS_TOLD, known.stopsDone)}`;
}

function tireCellOf({ lap, race, known }: StintCase): string {
  return `${known.kind} ${known.owesCompound} ${Math.floor((THIRDS * (lap - 1)) / race.laps)}`;
}

/** The tires that each car takes at its next stop, by case. */
function nextChoices(cases: readonly StintCase[]) {
  const taken = new Map(cases.flatMap((one) => (one.next === null ? [] : [[stopOf(one, one.lap), one.next] as const])));
  return new Map(
    cases.flatMap((one) => {
      const next = one.nextStop === null ? undefined : taken.get(stopOf(one, one.nextStop));
      return next === undefined ? [] : [[one, next] as const];
    }),
  );
}

function stopOf({ race, number }: StintCase, lap: number): string {
  return `${race.season} ${race.round} ${race.isSprint} ${number} ${lap}`;
}

function isSoon({ nextStop, lap }: StintCase): boolean {
  return nextStop !== null && nextStop < lap + SOON_LAPS;
}

function stopsLeftScore(one: StintCase, driver: StrategyDriver, rules: Rules): Scored {
  const told = [driver.noStopProbability, driver.oneStopProbability, driver.moreStopsProbability];
  const happened = Math.min(STOPS_TOLD, one.stopsLeft!);
  return scored(one, clippedLoss(told[happened]!), clippedLoss(rules.stopsLeft(one)[happened]!));
}

function nextStopScore(
  one: StintCase,
  { p25, p50, p75 }: NonNullable<StrategyDriver['nextStopLap']>,
  lap: number,
  rules: Rules,
): Scored {
  const real = one.nextStop!;
  return {
    race: one.race,
    loss: Math.abs(p50 - real),
    simple: Math.abs(lap + rules.nextStop(one) - real),
    told: 0.5,
    happened: Number(real >= p25 && real <= p75),
  };
}

function stopSoonScore(one: StintCase, told: number, rules: Rules): Scored {
  const happened = Number(isSoon(one));
  return {
    race: one.race,
    loss: (told - happened) ** 2,
    simple: (rules.stopSoon(one) - happened) ** 2,
    told,
    happened,
  };
}

function nextTiresScore(one: StintCase, taken: TireKind, { nextTires }: TireStrategyDriver, rules: Rules): Scored {
  const kind = TIRE_KINDS.indexOf(taken);
  assert(kind >= 0, 'tires that are taken are of a kind');
  const told = nextTires.find(({ compound }) => compound === taken)?.probability ?? 0;
  return scored(one, clippedLoss(told), clippedLoss(rules.nextTires(one)[kind]!));
}

function scored({ race }: StintCase, loss: number, simple: number): Scored {
  return { race, loss, simple, told: null, happened: null };
}

function clippedLoss(chance: number): number {
  return logLoss(Math.min(CERTAIN, Math.max(1 - CERTAIN, chance)));
}
