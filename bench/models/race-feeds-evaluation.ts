// How good the other analytics of a race are: what was told of gaps, stops and fights in recorded races, held against what
// happened, each beside a simple forecast. Two recordings are little, and the forecasts of one overlap: the numbers tell how these
// races went, not how others will. analytics.safety-car is not measured (so few races cannot tell how often one comes); of
// analytics.true-pace and analytics.tire-health there is no truth to hold them against.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Battle } from '#schemas/webhook/analytics-battle.ts';
import type { GapProjectionDriver } from '#schemas/webhook/analytics-gap-projection.ts';
import type { PitWindowDriver } from '#schemas/webhook/analytics-pit-window.ts';
import type { StrategyDriver } from '#schemas/webhook/analytics-strategy.ts';
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
import { ToldRace } from './told-race.ts';

/** The recordings with the timing of a whole race. */
const RECORDINGS = ['2018-azerbaijan-race', '2025-miami-sprint'] as const;
const GAP_LAPS = 5;
const SPRINT_GAP_LAPS = 3;
/** Who stops without a forecast expects to lose about this much. */
const USUAL_STOP_SECONDS = 20;
/** So many and more are one in analytics.strategy. */
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

interface ToldStrategy {
  readonly session: { readonly lapsLeft: number };
  readonly drivers: readonly StrategyDriver[];
}

type Scores<Score, Name extends keyof Cases> = { readonly [Key in Name]: Score | null };

/** Of one recording; null: there was nothing to score. */
export type RaceFeedScores = { readonly sessionId: string } & Scores<
  IntervalScore,
  'toLeader' | 'toAhead' | 'greenStops' | 'safetyCarStops' | 'nextStops'
> &
  Scores<PassScore, 'passesWithinThree' | 'passesWithinFive'> &
  Scores<CountScore, 'furtherStops'>;

/** `folder` holds the recordings; those that are not there are left out. */
export function evaluateRaceFeeds(folder: string): readonly RaceFeedScores[] {
  const races = RECORDINGS.flatMap((sessionId) => {
    const path = join(folder, 'archive', sessionId);
    if (!existsSync(path)) return [];
    const timeline = deriveTimeline({ sessionId, seriesId: 'f1' }, openSource(path).frames());
    return [casesOf(sessionId, new ToldRace(timeline))];
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

function casesOf(sessionId: string, race: ToldRace): Cases {
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

/** Gaps of cars that did not stop, with no safety car in between; beside them the gap as it was. */
function gapCases(race: ToldRace, laps: number, kind: 'gapToLeader' | 'gapToAhead'): IntervalCase[] {
  return race.forecasts<{ drivers: GapProjectionDriver[] }>('analytics.gap-projection').flatMap((forecast) => {
    const { body, lap, sequence, isLapStart, cars } = forecast;
    const then = race.lapStart(lap + laps);
    if (!isLapStart || then === undefined) return [];
    const leader = [...cars].find(([, { position }]) => position === 1)![0];
    return body.drivers.flatMap(({ number, aheadNumber, projections }): IntervalCase[] => {
      const told = projections.find(({ inLaps }) => inLaps === laps)?.[kind];
      const other = kind === 'gapToLeader' ? leader : aheadNumber;
      if (told == null || other === null) return [];
      if (!race.isUndisturbed([number, other], sequence, then.sequence)) return [];
      const [before, otherBefore] = [cars.get(number)!.gapSeconds, cars.get(other)!.gapSeconds];
      const [after, otherAfter] = [then.cars.get(number)!.gapSeconds, then.cars.get(other)!.gapSeconds];
      if (before === null || otherBefore === null || after === null || otherAfter === null) return [];
      return [
        {
          low: told.p10Seconds,
          middle: told.p50Seconds,
          high: told.p90Seconds,
          simple: before - otherBefore,
          real: after - otherAfter,
        },
      ];
    });
  });
}

/** Positions two laps after stops; beside them a place lost to each car that was close behind. */
function stopCases(race: ToldRace, isNeutralised: boolean): IntervalCase[] {
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

/** Fights in which neither car stopped and the race stayed green; a pass that was taken back counts. */
function passCases(race: ToldRace, laps: 3 | 5): BinaryOutcome[] {
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

/** Of cars that finished, lap by lap: the next stop if there was one, beside the middle of what is left; and how many stops came. */
function strategyCases(race: ToldRace): Pick<Cases, 'nextStops' | 'furtherStops'> {
  const nextStops: IntervalCase[] = [];
  const furtherStops: CountCase[] = [];
  for (const { body, lap, sequence, isLapStart } of race.forecasts<ToldStrategy>('analytics.strategy')) {
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
    'Other feeds of races against what happened. n counts forecasts; those of one race overlap, so no difference is significant',
    'Gaps five laps later, three in the sprint: within 10 to 90; mean error of the median, seconds; if the gap stays as it is',
    ...rows('analytics.gap-projection, leader', ({ toLeader }) => errors(toLeader)),
    ...rows('analytics.gap-projection, ahead', ({ toAhead }) => errors(toAhead)),
    'Position two laps after a stop: within 10 to 90; within one place; if each car within 20 s behind gains one',
    ...rows('analytics.pit-window, green', ({ greenStops }) => places(greenStops)),
    ...rows('analytics.pit-window, safety car', ({ safetyCarStops }) => places(safetyCarStops)),
    'Passes, nobody stopping: mean chance told; how many came; Brier score; that of the share of the other race',
    ...rows('analytics.battle, three laps', ({ passesWithinThree }) => passes(passesWithinThree)),
    ...rows('analytics.battle, five laps', ({ passesWithinFive }) => passes(passesWithinFive)),
    'Lap of the next stop: within 25 to 75; mean error of the median, laps; of the middle of the laps left',
    ...rows('analytics.strategy, next stop', ({ nextStops }) => errors(nextStops)),
    'Further stops, none, one, two or more: log-loss; that of the shares of the other race',
    ...rows('analytics.strategy, further stops', ({ furtherStops }) => counts(furtherStops)),
    'Not measured: analytics.safety-car (too few races), analytics.true-pace and analytics.tire-health (no truth is told)',
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
    `n ${counted(score)} ${percent(score.told)} ${percent(score.happened)} ${score.brier.toFixed(4).padStart(7)} ${simple(score.simpleBrier, 4)}`
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
