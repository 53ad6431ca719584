// Evaluates the other race analytics: forecasts of gaps, stops and battles in recorded races against what happened,
// each next to a simple forecast. There are only two recordings, and the forecasts of one race overlap. The figures
// describe these races and do not predict others. analytics.safety-car is not measured here, because so few races cannot
// show its rate. analytics.true-pace and analytics.tire-health are measured on tables of laps.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Battle } from '#schemas/webhook/analytics-battle.ts';
import type { GapProjectionDriver } from '#schemas/webhook/analytics-gap-projection.ts';
import type { PitWindowDriver } from '#schemas/webhook/analytics-pit-window.ts';
import type { StrategyDriver } from '#schemas/webhook/analytics-strategy.ts';
import { ObservedRace } from './observed-race.ts';
import {
  type CountCase,
  type CountScore,
  type IntervalCase,
  type IntervalScore,
  type PassScore,
  scoreCounts,
  scoreIntervals,
  scorePasses,
} from './race-feeds-scores.ts';
import type { BinaryOutcome } from './scoring.ts';

/** The recordings with the timing of a whole race. */
const RECORDINGS = ['2018-azerbaijan-race', '2025-miami-sprint'] as const;
const GAP_LAPS = 5;
const SPRINT_GAP_LAPS = 3;
/** The usual loss of a stop, for the simple forecast. */
const USUAL_STOP_SECONDS = 20;
/** analytics.strategy gives one chance for this many stops or more. */
const MORE_STOPS = 2;

interface Cases {
  readonly sessionId: string;
  readonly toLeader: readonly IntervalCase[];
  readonly toAhead: readonly IntervalCase[];
  readonly greenStops: readonly IntervalCase[];
  readonly safetyCarStops: readonly IntervalCase[];
  readonly passesWithinThree: readonly BinaryOutcome[];
  readonly passesWithinFive: readonly BinaryOutcome[];
  readonly nextStops: readonly IntervalCase[];
  readonly furtherStops: readonly CountCase[];
}

interface StrategyUpdate {
  readonly session: { readonly lapsLeft: number };
  readonly drivers: readonly StrategyDriver[];
}

type Scores<Score, Name extends keyof Cases> = { readonly [Key in Name]: Score | null };

/** The scores of one recording. Null: nothing to score. */
export type RaceFeedScores = { readonly sessionId: string } & Scores<
  IntervalScore,
  'toLeader' | 'toAhead' | 'greenStops' | 'safetyCarStops' | 'nextStops'
> &
  Scores<PassScore, 'passesWithinThree' | 'passesWithinFive'> &
  Scores<CountScore, 'furtherStops'>;

/** `folder` holds the recordings. Missing recordings are skipped. */
export function evaluateRaceFeeds(folder: string): readonly RaceFeedScores[] {
  const races = RECORDINGS.flatMap((sessionId) => {
    const path = join(folder, 'archive', sessionId);
    if (!existsSync(path)) return [];
    const timeline = deriveTimeline({ sessionId, seriesId: 'f1' }, openSource(path).frames());
    return [casesOf(sessionId, new ObservedRace(timeline))];
  });
  return races.map((race) => {
    const others = races.filter((other) => other !== race);
    const passes = (name: 'passesWithinThree' | 'passesWithinFive') =>
      scorePasses(
        race[name],
        others.flatMap((other) => other[name]),
      );
    return {
      sessionId: race.sessionId,
      toLeader: scoreIntervals(race.toLeader),
      toAhead: scoreIntervals(race.toAhead),
      greenStops: scoreIntervals(race.greenStops),
      safetyCarStops: scoreIntervals(race.safetyCarStops),
      passesWithinThree: passes('passesWithinThree'),
      passesWithinFive: passes('passesWithinFive'),
      nextStops: scoreIntervals(race.nextStops),
      furtherStops: scoreCounts(
        race.furtherStops,
        others.flatMap(({ furtherStops }) => furtherStops),
      ),
    };
  });
}

function casesOf(sessionId: string, race: ObservedRace): Cases {
  const laps = sessionId.endsWith('-sprint') ? SPRINT_GAP_LAPS : GAP_LAPS;
  return {
    sessionId,
    toLeader: gapCases(race, laps, 'gapToLeader'),
    toAhead: gapCases(race, laps, 'gapToAhead'),
    greenStops: stopCases(race, false),
    safetyCarStops: stopCases(race, true),
    passesWithinThree: passCases(race, 3),
    passesWithinFive: passCases(race, 5),
    ...strategyCases(race),
  };
}

/** Gaps of cars that did not stop, without a safety car in between. Simple forecast: the gap stays as it is. */
function gapCases(race: ObservedRace, laps: number, kind: 'gapToLeader' | 'gapToAhead'): IntervalCase[] {
  return race.forecasts<{ drivers: GapProjectionDriver[] }>('analytics.gap-projection').flatMap((forecast) => {
    const { body, lap, sequence, isLapStart, cars } = forecast;
    const then = race.lapStart(lap + laps);
    if (!isLapStart || then === undefined) return [];
    const leader = [...cars].find(([, { position }]) => position === 1)![0];
    return body.drivers.flatMap(({ number, aheadNumber, projections }): IntervalCase[] => {
      const projected = projections.find(({ inLaps }) => inLaps === laps)?.[kind];
      const other = kind === 'gapToLeader' ? leader : aheadNumber;
      if (projected == null || other === null) return [];
      if (!race.isUndisturbed([number, other], sequence, then.sequence)) return [];
      const [before, otherBefore] = [cars.get(number)!.gapSeconds, cars.get(other)!.gapSeconds];
      const [after, otherAfter] = [then.cars.get(number)!.gapSeconds, then.cars.get(other)!.gapSeconds];
      if (before === null || otherBefore === null || after === null || otherAfter === null) return [];
      return [
        {
          low: projected.p10Seconds,
          middle: projected.p50Seconds,
          high: projected.p90Seconds,
          simple: before - otherBefore,
          real: after - otherAfter,
        },
      ];
    });
  });
}

/** Positions two laps after stops. Simple forecast: a place lost to each car close behind. */
function stopCases(race: ObservedRace, isNeutralised: boolean): IntervalCase[] {
  const forecasts = race.forecasts<{ drivers: PitWindowDriver[] }>('analytics.pit-window');
  return race.stops.flatMap((stop) => {
    const forecast = forecasts.findLast(({ sequence }) => sequence < stop.sequence);
    const rejoin = forecast?.body.drivers.find(({ number }) => number === stop.number)?.rejoin;
    if (stop.isNeutralised !== isNeutralised || rejoin == null || stop.positionAfter === null) return [];
    const { position, gapSeconds } = forecast!.cars.get(stop.number)!;
    const lost = [...forecast!.cars.values()].filter(
      (car) =>
        !car.isOut &&
        car.gapSeconds !== null &&
        car.gapSeconds > gapSeconds! &&
        car.gapSeconds <= gapSeconds! + USUAL_STOP_SECONDS,
    );
    return [
      {
        low: rejoin.position10,
        middle: rejoin.position,
        high: rejoin.position90,
        simple: position! + lost.length,
        real: stop.positionAfter,
      },
    ];
  });
}

/** Battles in which neither car stopped and the race stayed green. A pass that is reversed later still counts. */
function passCases(race: ObservedRace, laps: 3 | 5): BinaryOutcome[] {
  return race.forecasts<{ session: { battles: Battle[] } }>('analytics.battle').flatMap((forecast) => {
    const { body, lap, sequence, isLapStart } = forecast;
    if (!isLapStart) return [];
    const to = race.lapStart(lap + laps)?.sequence ?? race.endSequence;
    return body.session.battles.flatMap(({ ahead, behind, passWithinThreeLaps, passWithinFiveLaps }) => {
      if (!race.isUndisturbed([ahead, behind], sequence, to)) return [];
      const { probability } = laps === 3 ? passWithinThreeLaps : passWithinFiveLaps;
      return [{ probability, happened: race.hasPassed(behind, ahead, forecast, to) }];
    });
  });
}

/**
 * For cars that finished, on each lap: the next stop, if any, and the number of stops left. Simple forecast: halfway.
 */
function strategyCases(race: ObservedRace): Pick<Cases, 'nextStops' | 'furtherStops'> {
  const nextStops: IntervalCase[] = [];
  const furtherStops: CountCase[] = [];
  for (const { body, lap, sequence, isLapStart } of race.forecasts<StrategyUpdate>('analytics.strategy')) {
    if (!isLapStart) continue;
    const halfway = lap + (body.session.lapsLeft - 1) / 2;
    for (const driver of body.drivers) {
      if (!race.hasFinished(driver.number)) continue;
      const { noStopProbability, oneStopProbability, moreStopsProbability, nextStopLap } = driver;
      const stops = race.stops.filter((stop) => stop.number === driver.number && stop.sequence > sequence);
      furtherStops.push({
        chances: [noStopProbability, oneStopProbability, moreStopsProbability],
        happened: Math.min(MORE_STOPS, stops.length),
      });
      const [next] = stops;
      if (next === undefined || nextStopLap === null) continue;
      const { p25, p50, p75 } = nextStopLap;
      nextStops.push({ low: p25, middle: p50, high: p75, simple: halfway, real: next.lap });
    }
  }
  return { nextStops, furtherStops };
}

export function describeRaceFeeds(races: readonly RaceFeedScores[]): string {
  const rows = (title: string, scored: (race: RaceFeedScores) => string | null): string[] =>
    races.map((race) => `  ${race.sessionId.padEnd(20)} ${title.padEnd(34)} ${scored(race) ?? 'nothing to score'}`);
  return [
    'Other race feeds against what happened. n counts forecasts; those of one race overlap, so no difference is significant',
    'Gaps five laps later, three in the sprint: within p10 to p90; mean error of the median in seconds; same for an unchanged gap',
    ...rows('analytics.gap-projection, leader', ({ toLeader }) => errors(toLeader)),
    ...rows('analytics.gap-projection, ahead', ({ toAhead }) => errors(toAhead)),
    'Position two laps after a stop: within p10 to p90; right within one place; same if each car within 20 s behind gains one',
    ...rows('analytics.pit-window, green', ({ greenStops }) => places(greenStops)),
    ...rows('analytics.pit-window, safety car', ({ safetyCarStops }) => places(safetyCarStops)),
    'Passes without stops: mean forecast chance; share that happened; Brier score; same with the share of the other race',
    ...rows('analytics.battle, three laps', ({ passesWithinThree }) => passes(passesWithinThree)),
    ...rows('analytics.battle, five laps', ({ passesWithinFive }) => passes(passesWithinFive)),
    'Lap of the next stop: within p25 to p75; mean error of the median in laps; same for the middle of the laps left',
    ...rows('analytics.strategy, next stop', ({ nextStops }) => errors(nextStops)),
    'Further stops (none, one, two or more): log-loss; same with the shares of the other race',
    ...rows('analytics.strategy, further stops', ({ furtherStops }) => counts(furtherStops)),
    'Measured on tables of laps: analytics.safety-car, analytics.true-pace and analytics.tire-health',
  ].join('\n');
}

function errors(score: IntervalScore | null): string | null {
  return (
    score &&
    `n ${counted(score)} ${percent(score.within)} ${score.error.toFixed(2).padStart(7)} ${score.simpleError.toFixed(2).padStart(7)}`
  );
}

function places(score: IntervalScore | null): string | null {
  return (
    score &&
    `n ${counted(score)} ${percent(score.within)} ${percent(score.withinOne)} ${percent(score.simpleWithinOne)}`
  );
}

function passes(score: PassScore | null): string | null {
  return (
    score &&
    `n ${counted(score)} ${percent(score.expected)} ${percent(score.happened)} ${score.brier.toFixed(4).padStart(7)} ${simple(score.simpleBrier, 4)}`
  );
}

function counts(score: CountScore | null): string | null {
  return score && `n ${counted(score)} ${score.logLoss.toFixed(3).padStart(7)} ${simple(score.simpleLogLoss, 3)}`;
}

function counted({ count }: { readonly count: number }): string {
  return String(count).padStart(4);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0).padStart(3)} %`;
}

function simple(loss: number | null, digits: number): string {
  return loss === null ? 'no other race' : loss.toFixed(digits).padStart(7);
}
