// Evaluates live odds by quarter of the race, on races that nothing was fitted on: the Grands Prix of 2022 and the sprints
// of 2022 to 2024 from tables of laps, season by season, and the recordings, of which those of 2018 and 2020 are of races in
// the fit. Each race counts once: its loss in a quarter is
// the mean over the quarter's moments. Beside the odds: the same odds without what previews knew, the odds as they were
// before they were fitted, the smoothed order, and the smoothed order times the strengths.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSource } from '#engine/intake/source/open-source.ts';
import { ODDS_SETTINGS, type OddsSettings } from '#engine/racing/analytics/odds-settings.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { RACE_RECORDINGS, resultOf, smoothedOrder } from './live-evaluation.ts';
import { lossesOf, lossOf, type OddsCase, type OddsLoss, oddsCases } from './odds-cases.ts';
import { tabledOddsCases, withStrengths } from './odds-history.ts';
import { mean, type PairedDifference, pairedDifference } from './scoring.ts';

/** The odds until they were fitted to laps: chosen by hand, and without previews. */
const HAND_CHOSEN: OddsSettings = {
  placeSeconds: [0.08, 0.12],
  placeDeviation: [0.5, 0.15],
  strengthSeconds: [0, 0],
  measuredShare: 1,
  paceChangeSeconds: 0.15,
  passSeconds: 1.6,
  passEase: 0,
  stopSeconds: 21,
  retirementsPerRace: 0.145,
  retirementPower: 0,
};
/** The odds as they were first fitted: all circuits and cars alike. */
export const CIRCUITS_ALIKE: OddsSettings = {
  placeSeconds: [0.0755, 0.129],
  placeDeviation: [0.254, 0.359],
  strengthSeconds: [0.272, 0.136],
  measuredShare: 0.719,
  paceChangeSeconds: 0.203,
  passSeconds: 1.3,
  passEase: 0,
  stopSeconds: 8.21,
  retirementsPerRace: 0.189,
  retirementPower: 0,
};
const LEFT_OUT_SEASONS = [2022, 2023, 2024] as const;

const FORECASTS = {
  odds: (cases) => lossesOf(cases),
  'without preview': (cases) => lossesOf(cases.map(withoutStrengths), ODDS_SETTINGS),
  'circuits alike': (cases) => lossesOf(cases.map(withoutCircuit), CIRCUITS_ALIKE),
  'before the fit': (cases) => lossesOf(cases.map(withoutCircuit), HAND_CHOSEN),
  'order smoothed': (cases) => cases.map((one) => lossOf(smoothed(one), one.places)),
  'smoothed times preview': (cases) => cases.map((one) => lossOf(weighted(one), one.places)),
} satisfies Record<string, (cases: readonly OddsCase[]) => readonly OddsLoss[]>;
export type OddsForecaster = keyof typeof FORECASTS;
export const ODDS_FORECASTERS = Object.keys(FORECASTS) as readonly OddsForecaster[];

/** One group of races in one quarter. */
export interface QuarterSummary {
  readonly group: string;
  readonly quarter: number;
  readonly races: number;
  readonly losses: Readonly<Record<OddsForecaster, OddsLoss>>;
  /** The odds less each other forecast, race by race. */
  readonly differences: Readonly<
    Record<Exclude<OddsForecaster, 'odds'>, { readonly winner: PairedDifference; readonly places: PairedDifference }>
  >;
}

/** Missing tables and recordings are skipped. */
export function evaluateOddsByQuarter(history: History, folder: string, laps: string): readonly QuarterSummary[] {
  const tabled = existsSync(laps) ? tabledOddsCases(laps, LEFT_OUT_SEASONS, history) : [];
  const recorded = recordedCases(history, folder);
  const groups = new Map<string, readonly OddsCase[]>([
    ...Map.groupBy(tabled, ({ sessionId, season }) =>
      sessionId.endsWith('-sprint') ? `sprints ${season}` : `Grands Prix ${season}`,
    ),
    ['recordings', recorded],
    ...Map.groupBy(recorded, ({ season }) => `recordings ${season}`),
  ]);
  return [...groups].flatMap(([group, cases]) =>
    [1, 2, 3, 4].flatMap((quarter) => {
      const there = cases.filter((one) => one.quarter === quarter);
      return there.length === 0 ? [] : [summaryOf(group, quarter, there)];
    }),
  );
}

function recordedCases(history: History, folder: string): readonly OddsCase[] {
  const forecaster = new Forecaster(history);
  return RACE_RECORDINGS.flatMap(([sessionId, path]) => {
    const result = resultOf(sessionId, history);
    if (!existsSync(join(folder, path)) || result.length === 0) return [];
    const { eventId, season } = history.weekends.find((one) => sessionId.startsWith(`${one.eventId}-`))!;
    return oddsCases(
      sessionId,
      season,
      withStrengths([...openSource(join(folder, path)).frames()], forecaster, eventId),
      result,
    );
  });
}

function summaryOf(group: string, quarter: number, cases: readonly OddsCase[]): QuarterSummary {
  const races = [...Map.groupBy(cases, ({ sessionId }) => sessionId).values()];
  const byRace = (name: OddsForecaster): readonly OddsLoss[] =>
    races.map((moments) => {
      const losses = FORECASTS[name](moments);
      return { winner: mean(losses.map(({ winner }) => winner)), places: mean(losses.map(({ places }) => places)) };
    });
  const all = Object.fromEntries(ODDS_FORECASTERS.map((name) => [name, byRace(name)])) as Record<
    OddsForecaster,
    readonly OddsLoss[]
  >;
  const scores = (name: OddsForecaster, score: keyof OddsLoss) => all[name].map((loss) => loss[score]);
  const pairs = ODDS_FORECASTERS.filter((name) => name !== 'odds').map((name) => [
    name,
    {
      winner: pairedDifference(scores('odds', 'winner'), scores(name, 'winner')),
      places: pairedDifference(scores('odds', 'places'), scores(name, 'places')),
    },
  ]);
  return {
    group,
    quarter,
    races: races.length,
    losses: Object.fromEntries(
      ODDS_FORECASTERS.map((name) => [
        name,
        { winner: mean(scores(name, 'winner')), places: mean(scores(name, 'places')) },
      ]),
    ) as QuarterSummary['losses'],
    differences: Object.fromEntries(pairs) as QuarterSummary['differences'],
  };
}

function withoutStrengths(one: OddsCase): OddsCase {
  const { situation } = one;
  const strengths = new Float64Array(situation.field.strengths.length);
  return { ...one, situation: { ...situation, field: { ...situation.field, strengths } } };
}

function withoutCircuit(one: OddsCase): OddsCase {
  const { situation } = one;
  return { ...one, situation: { ...situation, field: { ...situation.field, stopPart: 1, passEase: 0 } } };
}

function smoothed({ situation: { field } }: OddsCase): readonly (readonly number[])[] {
  return smoothedOrder(field.standings.length, field.lapsLeft / field.fullLaps);
}

/** The chance of the winner alone: that of the smoothed order, times the odds before the race. */
function weighted(one: OddsCase): readonly (readonly number[])[] {
  const { strengths } = one.situation.field;
  return smoothed(one).map((row, car) => [row[0]! * Math.exp(strengths[car]!), ...row.slice(1)]);
}

export function describeOddsByQuarter(summaries: readonly QuarterSummary[]): string {
  const others = ODDS_FORECASTERS.filter((name) => name !== 'odds');
  const rows = summaries.flatMap(({ group, quarter, races, losses, differences }) => [
    `${group}, quarter ${quarter}, ${races} races: log-loss ${losses.odds.winner.toFixed(3)}, RPS ${losses.odds.places.toFixed(4)}`,
    ...others.map((name) => {
      const { winner, places } = differences[name];
      const rps = name === 'smoothed times preview' ? '' : `  RPS ${signed(places, 4)}`;
      return `  less ${name.padEnd(24)} log-loss ${signed(winner, 3)}${rps}`;
    }),
  ]);
  return [
    'Live odds by quarter of the race, on races left out of the fit, but for the recordings of 2018 and 2020; one standard error, ' +
      'race by race',
    ...rows,
  ].join('\n');
}

function signed({ mean: value, standardError }: PairedDifference, digits: number): string {
  const error = Number.isNaN(standardError) ? 'one race' : `SE ${standardError.toFixed(digits)}`;
  return `${value >= 0 ? '+' : ''}${value.toFixed(digits)} (${error})`;
}
