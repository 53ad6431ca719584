// Models of races against tables of laps: Grands Prix of 2022 and sprints of 2022 to 2024, which nothing was fitted to or
// chosen on, season by season. Each stands beside its simple rule. A race counts once, however many forecasts it has:
// losses are means over a race, and differences are paired race by race.

import { type BattleCase, battleCases, PASS_LAPS } from '#bench/laps/battle-cases.ts';
import { LAPS_FROM, LAPS_TO, readRaces, type TableRace } from '#bench/laps/lap-tables.ts';
import { fitLogistic } from '#bench/laps/logistic.ts';
import { safetyCarCases } from '#bench/laps/safety-car-cases.ts';
import { stopCases } from '#bench/laps/stop-cases.ts';
import { median } from '#engine/base/median.ts';
import { passChances } from '#engine/racing/analytics/pass-chance.ts';
import { PitLosses } from '#engine/racing/analytics/pit-loss.ts';
import { SPRINTS_PER_RACE } from '#engine/racing/analytics/race-picture.ts';
import { safetyCarChance, safetyCarHazard } from '#engine/racing/analytics/safety-car-hazard.ts';
import { paceCases } from './pace-cases.ts';
import { playRace } from './played-race.ts';
import type { Scored } from './scored.ts';
import { logLoss, mean, type PairedDifference, pairedDifference } from './scoring.ts';
import { stopScores } from './stop-scores.ts';
import { WEAR_LAPS, wearCases } from './wear-cases.ts';

export interface LapFeedScore {
  readonly feed: string;
  /** What was forecast, and how it is scored. */
  readonly what: string;
  readonly rule: string;
  /** Whether the feed's maturity hangs on it, over the Grands Prix. */
  readonly decides: boolean;
  readonly races: 'Grands Prix' | 'sprints';
  readonly season: number;
  readonly count: number;
  readonly forecasts: number;
  readonly loss: number;
  readonly simple: number;
  readonly difference: PairedDifference;
  /** What was told on average, and what happened. Null: no chances. */
  readonly told: number | null;
  readonly happened: number | null;
}

const SEASONS_TO = 2024;
const SAFETY_CAR_LAPS = [1, 5] as const;
/** Seconds a lap, on any tire. */
const USUAL_WEAR = 0.05;

/** `folder`: the tables of laps. */
export function evaluateLapFeeds(folder: string): readonly LapFeedScore[] {
  const past = readRaces(folder, LAPS_FROM, LAPS_TO).filter(({ isSprint }) => !isSprint);
  const later = readRaces(folder, LAPS_TO + 1, SEASONS_TO);
  return [
    ...passScores(past, later),
    ...safetyCarScores(past, later),
    ...pitLossScores(past, later),
    ...paceScores(later),
    ...wearScores(later),
    ...stopsScores(past, later),
  ];
}

/** Stops under green, each told as the leader begins the lap on which the car comes in. Simple rule: the usual loss. */
function pitLossScores(past: readonly TableRace[], later: readonly TableRace[]): LapFeedScore[] {
  const green = (race: TableRace) => stopCases(race).filter(({ status }) => status === 'green');
  const usual = median(past.flatMap((race) => green(race).map(({ lossSeconds }) => lossSeconds)));
  const scored = later.flatMap((race) => {
    const losses = new PitLosses();
    const stops = Map.groupBy(green(race), ({ lap }) => lap);
    const found: Scored[] = [];
    playRace(race, (picture, _, lap) => {
      losses.update(picture);
      for (const { lossSeconds } of stops.get(lap) ?? []) {
        const told = losses.loss('green').seconds;
        const error = (seconds: number): number => Math.abs(seconds - lossSeconds);
        found.push({ race, loss: error(told), simple: error(usual), told: null, happened: null });
      }
    });
    return found;
  });
  return scoresOf({ feed: 'analytics.pit-window', what: 'loss of a stop, error in s', rule: 'usual loss' }, scored);
}

/** Simple rules: tables of past races. */
function stopsScores(past: readonly TableRace[], later: readonly TableRace[]): LapFeedScore[] {
  const { stopsLeft, nextStop, stopSoon, nextTires } = stopScores(past, later);
  const rule = '15 cells of past races';
  const tires = 'tires, third and rules in past races';
  return [
    ...scoresOf({ feed: 'analytics.strategy', what: 'stops left, log-loss', rule }, stopsLeft),
    ...scoresOf({ feed: 'analytics.strategy', what: 'lap of the next stop, error', rule }, nextStop),
    ...scoresOf({ feed: 'analytics.tire-strategy', what: 'stop within 5 laps, Brier score', rule }, stopSoon),
    ...scoresOf({ feed: 'analytics.tire-strategy', what: 'next tires, log-loss', rule: tires }, nextTires),
  ];
}

/** A car's next three laps. Simple rule: the mean of its latest three. */
function paceScores(later: readonly TableRace[]): LapFeedScore[] {
  const scored = later.flatMap((race) =>
    paceCases(race).map(({ real, told, latest }) => errorsOf(race, real, told, latest)),
  );
  return scoresOf({ feed: 'analytics.true-pace', what: 'next three laps, error in s', rule: 'latest three' }, scored);
}

/** The loss over five laps. Simple rule: the same wear on every tire. */
function wearScores(later: readonly TableRace[]): LapFeedScore[] {
  const scored = later
    .flatMap(wearCases)
    .map(({ race, real, told }) => errorsOf(race, WEAR_LAPS * real, WEAR_LAPS * told, WEAR_LAPS * USUAL_WEAR));
  const what = `wear over ${WEAR_LAPS} laps, error in s`;
  return scoresOf({ feed: 'analytics.tire-health', what, rule: `${USUAL_WEAR} s a lap` }, scored);
}

function errorsOf(race: TableRace, real: number, told: number, simple: number): Scored {
  return { race, loss: Math.abs(told - real), simple: Math.abs(simple - real), told: null, happened: null };
}

function passScores(past: readonly TableRace[], later: readonly TableRace[]): LapFeedScore[] {
  const before = past.flatMap(battleCases);
  const cases = later.flatMap(battleCases);
  return PASS_LAPS.flatMap((laps) => {
    const [intercept, slope] = fitLogistic(
      before.flatMap(({ pursuit, passed }) => {
        const happened = passed.get(laps) ?? null;
        return happened === null ? [] : [{ features: [1, gapOf(pursuit)], group: -1, happened }];
      }),
      0,
      0,
    ).weights;
    const scored = cases.flatMap(({ race, pursuit, passed }): Scored[] => {
      const happened = passed.get(laps) ?? null;
      if (happened === null) return [];
      const { probability } = passChances(pursuit, race.event, 0, [laps])[0]!;
      const simple = 1 / (1 + Math.exp(-intercept! - slope! * gapOf(pursuit)));
      const truth = happened ? 1 : 0;
      return [
        {
          race,
          loss: (probability - truth) ** 2,
          simple: (simple - truth) ** 2,
          told: probability,
          happened: truth,
        },
      ];
    });
    const what = `pass within ${laps} ${laps === 1 ? 'lap' : 'laps'}, Brier score`;
    return scoresOf({ feed: 'analytics.battle', what, rule: 'logit of the gap', decides: laps === 3 }, scored);
  });
}

function gapOf({ gapsSeconds }: BattleCase['pursuit']): number {
  return gapsSeconds.at(-1)!;
}

/** Simple rule: the same chance on each lap. */
function safetyCarScores(past: readonly TableRace[], later: readonly TableRace[]): LapFeedScore[] {
  const before = past.flatMap(safetyCarCases);
  const perLap = before.filter(({ deployed }) => deployed).length / before.length;
  return SAFETY_CAR_LAPS.flatMap((laps) => {
    const scored = later.flatMap((race) => {
      const cases = safetyCarCases(race);
      return cases.map(({ lap, running, standingCar, yellowFlag }): Scored => {
        const to = Math.min(lap + laps - 1, race.laps);
        const happened = cases.some((one) => one.deployed && one.lap >= lap && one.lap <= to);
        const fullLaps = race.isSprint ? race.laps * SPRINTS_PER_RACE : race.laps;
        const hazard = safetyCarHazard(lap, fullLaps, running, { standingCar, yellowFlag, rainChanged: false });
        const told = safetyCarChance(hazard, to - lap + 1);
        const simple = 1 - (1 - perLap) ** (to - lap + 1);
        return {
          race,
          loss: logLoss(happened ? told : 1 - told),
          simple: logLoss(happened ? simple : 1 - simple),
          told,
          happened: happened ? 1 : 0,
        };
      });
    });
    const what = `safety car within ${laps} ${laps === 1 ? 'lap' : 'laps'}, log-loss`;
    return scoresOf({ feed: 'analytics.safety-car', what, rule: 'constant', decides: laps === 5 }, scored);
  });
}

function scoresOf(
  { feed, what, rule, decides = true }: Pick<LapFeedScore, 'feed' | 'what' | 'rule'> & { readonly decides?: boolean },
  scored: readonly Scored[],
): LapFeedScore[] {
  const groups = Map.groupBy(scored, ({ race }) => `${race.isSprint ? 'sprints' : 'Grands Prix'} ${race.season}`);
  return [...groups.values()].flatMap((own) => {
    const { isSprint, season } = own[0]!.race;
    const races = [...Map.groupBy(own, ({ race }) => race).values()];
    if (races.length < 2) return [];
    const losses = races.map((one) => mean(one.map(({ loss }) => loss)));
    const simples = races.map((one) => mean(one.map(({ simple }) => simple)));
    const average = (name: 'told' | 'happened') =>
      own[0]![name] === null ? null : mean(own.map((one) => one[name] ?? 0));
    return [
      {
        feed,
        what,
        rule,
        decides,
        races: isSprint ? ('sprints' as const) : ('Grands Prix' as const),
        season,
        count: races.length,
        forecasts: own.length,
        loss: mean(losses),
        simple: mean(simples),
        difference: pairedDifference(losses, simples),
        told: average('told'),
        happened: average('happened'),
      },
    ];
  });
}

export function describeLapFeeds(scores: readonly LapFeedScore[]): string {
  const number = (value: number, digits = 4): string => value.toFixed(digits);
  return [
    'Tables of laps, Grands Prix of 2022 and sprints of 2022 to 2024: loss; of the simple rule; paired difference (SE)',
    ...scores.map(
      ({ feed, what, rule, races, season, count, forecasts, loss, simple, difference, told, happened }) =>
        `  ${feed}, ${what}; ${count} ${races} of ${season}, ${forecasts} forecasts: ${number(loss)}; ${rule} ${number(simple)}; ` +
        `${number(difference.mean)} (${number(difference.standardError)})` +
        (told === null || happened === null
          ? ''
          : `; told ${number(told * 100, 1)} %, happened ${number(happened * 100, 1)} %`),
    ),
  ].join('\n');
}
