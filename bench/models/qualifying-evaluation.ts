// Evaluates the chances of elimination of analytics.qualifying against the drivers who took part in the next part.
//
// Recordings: at a quarter, half, three quarters and nine tenths of each part, by the time between its start and end,
// including interruptions. What happens within a part was chosen on these recordings, so this is how well it fits.
// History: as the second part starts, from the times of the first one alone. Nothing was chosen on these sessions since
// 2022: those that are among the recordings are left out.
//
// Beside the odds: the same chance for all (the base rate), and how often drivers within and outside the cut-off at that
// moment went out; in the other recordings, or in the seasons before 2022. Forecasts of one part depend on each other,
// so differences are paired part by part, and the error of a share adds up what parts were off.

import { assert } from '#engine/base/assert.ts';
import type { JsonObject } from '#engine/base/json-value.ts';
import { QualifyingOdds } from '#engine/racing/analytics/qualifying-odds.ts';
import type { QualifyingSettings } from '#engine/racing/analytics/qualifying-settings.ts';
import { QualifyingAnalytics } from '#engine/racing/analytics/session-analytics.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { seriesOf } from '#engine/racing/series/known-series.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';
import type { History, QualifyingResult, RaceWeekend } from '#engine/seasons/history/history.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { QUALIFYING_RECORDINGS, recordedQualifying } from './qualifying-recordings.ts';
import { mean, type PairedDifference, pairedDifference } from './scoring.ts';

const MOMENTS = [0.25, 0.5, 0.75, 0.9] as const;
/** Seasons before it teach the simple rule of the history. */
const SCORED_SEASON_MIN = 2022;
/** Drivers who are added to each side of the simple rule: half of them went out. */
const PRIOR_DRIVERS = 2;
const BUCKET_EDGES = [0, 0.05, 0.25, 0.75, 0.95, 1] as const;
/** Chances are clipped to 0.1 and 99.9 % for every forecaster, which bounds the cost of one surprise. */
const CERTAIN = 0.999;
/** Entries of the last part; the others go out in the first two parts, half of them in each. */
const LAST_PART_ENTRIES = 10;

const FORECASTERS = ['odds', 'cut-off', 'base rate'] as const;
type Forecaster = (typeof FORECASTERS)[number];

interface Forecast {
  readonly told: number;
  readonly wentOut: boolean;
  readonly isOutside: boolean;
}

/** All forecasts of one moment of a part. */
export interface PartMoment {
  readonly sessionId: string;
  readonly part: number;
  /** Share of the part that is over. */
  readonly moment: number;
  readonly forecasts: readonly Forecast[];
}

/** The drivers whose told chance lies in a range: from the lower edge to below the upper one; the last includes it. */
export interface ToldBucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly told: number;
  readonly happened: number;
  /** Of `happened`: the larger of that of single drivers and that of whole parts. */
  readonly standardError: number;
}

export interface EliminationComparison {
  readonly baseline: Forecaster;
  readonly logLoss: PairedDifference;
  readonly brier: PairedDifference;
}

export interface EliminationSummary {
  readonly name: string;
  readonly parts: number;
  readonly forecasts: number;
  readonly logLoss: Readonly<Record<Forecaster, number>>;
  readonly brier: Readonly<Record<Forecaster, number>>;
  readonly comparisons: readonly EliminationComparison[];
  readonly buckets: readonly ToldBucket[];
}

interface EliminationChances {
  readonly session: { readonly part: number; readonly cutOffPosition: number | null };
  readonly drivers: readonly { readonly number: string; readonly eliminationProbability: number | null }[];
}

export interface Update extends EliminationChances {
  readonly feed: string;
  readonly utc: string;
  readonly event?: string;
  readonly data: { readonly part?: number };
}

/** `folder` holds the recordings. Missing recordings are skipped. */
export function evaluateRecordedEliminations(folder: string): readonly EliminationSummary[] {
  const all = recordedQualifying(folder).flatMap(({ sessionId, frames }) =>
    momentsOf(sessionId, updatesOf(deriveTimeline({ sessionId, seriesId: 'f1' }, frames))),
  );
  const othersOf = ({ sessionId, moment }: PartMoment) =>
    all.filter((other) => other.sessionId !== sessionId && other.moment === moment);
  const named = (name: string, moments: readonly PartMoment[]) => summarised(name, moments, othersOf);
  if (new Set(all.map(({ sessionId }) => sessionId)).size < 2) return [];
  return [
    named('recordings', all),
    ...MOMENTS.map((moment) =>
      named(
        `recordings, ${moment * 100} % of the part`,
        all.filter((one) => one.moment === moment),
      ),
    ),
  ];
}

/** The start of the second part in the seasons since 2022, all together and season by season, without the recorded ones. */
export function evaluatePastEliminations({ weekends }: History): readonly EliminationSummary[] {
  const chosenOn = new Set(QUALIFYING_RECORDINGS.map(([sessionId]) => sessionId));
  const starts = secondPartStarts(weekends).filter(({ start }) => !chosenOn.has(start.sessionId));
  const scored = starts.filter(({ season }) => season >= SCORED_SEASON_MIN);
  const before = starts.filter(({ season }) => season < SCORED_SEASON_MIN).map(({ start }) => start);
  if (scored.length < 2 || before.length === 0) return [];
  const named = (name: string, of: typeof scored) =>
    summarised(
      name,
      of.map(({ start }) => start),
      () => before,
    );
  return [
    named(`history, start of the second part since ${SCORED_SEASON_MIN}`, scored),
    ...[...Map.groupBy(scored, ({ season }) => season)]
      .filter(([, of]) => of.length > 1)
      .map(([season, of]) => named(`history, ${season}`, of)),
  ];
}

export function updatesOf(timeline: Timeline): readonly Update[] {
  const decoder = new TextDecoder();
  const updates: Update[] = [];
  for (let position = 0; position < timeline.length; position++) {
    const feed = timeline.feedId(position);
    if (feed !== 'analytics.qualifying' && feed !== 'events.race') continue;
    updates.push(JSON.parse(decoder.decode(timeline.body(position))) as Update);
  }
  return updates;
}

function momentsOf(sessionId: string, updates: readonly Update[]): PartMoment[] {
  const odds = updates.filter(({ feed }) => feed === 'analytics.qualifying');
  return [1, 2].flatMap((part) => {
    const [start, end] = ['segment_start', 'segment_end'].map((event) =>
      updates.find((one) => one.event === event && one.data.part === part),
    );
    const next = odds.findLast(({ session }) => session.part === part + 1);
    if (start === undefined || end === undefined || next === undefined) return [];
    const [startUtcMs, endUtcMs] = [Date.parse(start.utc), Date.parse(end.utc)];
    const advanced = new Set(next.drivers.map(({ number }) => number));
    return MOMENTS.flatMap((moment) => {
      const utcMs = startUtcMs + moment * (endUtcMs - startUtcMs);
      const at = odds.findLast(({ utc, session }) => session.part === part && Date.parse(utc) <= utcMs);
      return at === undefined ? [] : [{ sessionId, part, moment, forecasts: forecastsOf(at, advanced) }];
    });
  });
}

function forecastsOf({ drivers, session }: EliminationChances, advanced: ReadonlySet<string>): readonly Forecast[] {
  return drivers.map(({ number, eliminationProbability }, index) => ({
    told: eliminationProbability!,
    wentOut: !advanced.has(number),
    isOutside: index >= session.cutOffPosition!,
  }));
}

/** What the model tells as each second part starts, from the times of the first. */
export function secondPartStarts(
  weekends: readonly RaceWeekend[],
  settings?: QualifyingSettings,
): readonly { readonly season: number; readonly start: PartMoment }[] {
  return weekends.flatMap((weekend) => {
    const start = startOfSecondPart(weekend, settings);
    return start === null ? [] : [{ season: weekend.season, start }];
  });
}

/** By the classification, as some reach a part and set no time in it. Null: the session had no parts of known size. */
function startOfSecondPart({ eventId, qualifying }: RaceWeekend, settings?: QualifyingSettings): PartMoment | null {
  const entries = qualifying.length;
  const cutOff = entries - Math.ceil((entries - LAST_PART_ENTRIES) / 2);
  const running = qualifying.slice(0, cutOff);
  if (cutOff <= LAST_PART_ENTRIES || running.some(({ q1Ms }) => q1Ms === null)) return null;
  if (!qualifying.some(({ q3Ms }) => q3Ms !== null)) return null;
  const advanced = new Set(running.slice(0, LAST_PART_ENTRIES).map(({ number }) => number));
  const sessionId = `${eventId}-qualifying`;
  const inOrder = running.toSorted((one, other) => one.q1Ms! - other.q1Ms!);
  const state = new SessionState(seriesOf('f1').facts);
  const analytics = new QualifyingAnalytics([new QualifyingOdds(settings)]);
  let at: EliminationChances | null = null;
  for (const { topic, message } of messagesOf(inOrder, entries)) {
    const changes = state.apply(topic, message)!;
    const update = analytics.apply({ topic, utcMs: 0, changes, state, isSnapshot: false });
    if (update !== null) at = update.content as unknown as EliminationChances;
  }
  assert(at !== null, 'the model tells the chances of a part as soon as it is named');
  return { sessionId, part: 2, moment: 0, forecasts: forecastsOf(at, advanced) };
}

/** Those who came through the first part wait in the pits for the second one. */
function messagesOf(
  running: readonly QualifyingResult[],
  entries: number,
): readonly { readonly topic: string; readonly message: JsonObject }[] {
  const lines = running.map(({ number, q1Ms }, index) => [
    number,
    { Position: `${index + 1}`, InPit: true, BestLapTimes: [{ Value: lapText(q1Ms!) }] },
  ]);
  const timing = {
    SessionPart: 2,
    NoEntries: [entries, running.length, LAST_PART_ENTRIES],
    Lines: Object.fromEntries(lines),
  };
  return [
    { topic: 'SessionInfo', message: { Type: 'Qualifying', Name: 'Qualifying' } },
    { topic: 'TimingData', message: timing },
  ];
}

function lapText(milliseconds: number): string {
  const seconds = (milliseconds % 60_000) / 1000;
  return `${Math.floor(milliseconds / 60_000)}:${seconds.toFixed(3).padStart(6, '0')}`;
}

/** `othersOf`: what teaches the simple rule of a moment. */
function summarised(
  name: string,
  moments: readonly PartMoment[],
  othersOf: (moment: PartMoment) => readonly PartMoment[],
): EliminationSummary {
  const scored = moments.map((moment) => ({ moment, told: toldBy(moment, othersOf(moment)) }));
  const parts = [...Map.groupBy(scored, ({ moment }) => `${moment.sessionId} ${moment.part}`).values()];
  const byPart = (loss: (told: number, wentOut: boolean) => number) => (forecaster: Forecaster) =>
    parts.map((part) =>
      mean(
        part.flatMap(({ moment, told }) =>
          moment.forecasts.map(({ wentOut }, index) => loss(told[forecaster][index]!, wentOut)),
        ),
      ),
    );
  const [logLoss, brier] = [byPart(clippedLogLoss), byPart(squaredError)];
  const meansOf = (losses: (forecaster: Forecaster) => readonly number[]) =>
    Object.fromEntries(FORECASTERS.map((forecaster) => [forecaster, mean(losses(forecaster))])) as Record<
      Forecaster,
      number
    >;
  return {
    name,
    parts: parts.length,
    forecasts: moments.reduce((sum, { forecasts }) => sum + forecasts.length, 0),
    logLoss: meansOf(logLoss),
    brier: meansOf(brier),
    comparisons: FORECASTERS.slice(1).map((baseline) => ({
      baseline,
      logLoss: pairedDifference(logLoss('odds'), logLoss(baseline)),
      brier: pairedDifference(brier('odds'), brier(baseline)),
    })),
    buckets: bucketsOf(parts.map((part) => part.flatMap(({ moment }) => moment.forecasts))),
  };
}

function toldBy(
  { forecasts }: PartMoment,
  others: readonly PartMoment[],
): Readonly<Record<Forecaster, readonly number[]>> {
  const known = others.flatMap((other) => other.forecasts);
  const shareOf = (isOutside: boolean) => {
    const side = known.filter((one) => one.isOutside === isOutside);
    return (side.filter(({ wentOut }) => wentOut).length + PRIOR_DRIVERS / 2) / (side.length + PRIOR_DRIVERS);
  };
  const [within, outside] = [shareOf(false), shareOf(true)];
  const outsideShare = forecasts.filter(({ isOutside }) => isOutside).length / forecasts.length;
  return {
    odds: forecasts.map(({ told }) => told),
    'cut-off': forecasts.map(({ isOutside }) => (isOutside ? outside : within)),
    'base rate': forecasts.map(() => outsideShare),
  };
}

/** Mean over all chances. */
export function eliminationLogLoss(moments: readonly PartMoment[]): number {
  return mean(moments.flatMap(({ forecasts }) => forecasts.map(({ told, wentOut }) => clippedLogLoss(told, wentOut))));
}

function clippedLogLoss(told: number, wentOut: boolean): number {
  return -Math.log(Math.min(CERTAIN, Math.max(1 - CERTAIN, wentOut ? told : 1 - told)));
}

function squaredError(told: number, wentOut: boolean): number {
  return (told - (wentOut ? 1 : 0)) ** 2;
}

/** `parts`: the forecasts of each part, of all its moments. */
export function bucketsOf(parts: readonly (readonly Forecast[])[]): readonly ToldBucket[] {
  return BUCKET_EDGES.slice(1).flatMap((to, index): ToldBucket[] => {
    const from = BUCKET_EDGES[index]!;
    const inside = parts.map((part) => part.filter(({ told }) => told >= from && (told < to || to === 1)));
    const all = inside.flat();
    if (all.length === 0) return [];
    const misses = inside.map((part) => part.reduce((sum, { told, wentOut }) => sum + (wentOut ? 1 : 0) - told, 0));
    const ofParts = Math.hypot(...misses);
    const ofDrivers = Math.sqrt(all.reduce((sum, { told }) => sum + told * (1 - told), 0));
    return [
      {
        from,
        to,
        count: all.length,
        told: mean(all.map(({ told }) => told)),
        happened: all.filter(({ wentOut }) => wentOut).length / all.length,
        standardError: Math.max(ofParts, ofDrivers) / all.length,
      },
    ];
  });
}

export function describeEliminations(summaries: readonly EliminationSummary[]): string {
  return [
    'Chances of elimination: log-loss and Brier score, lower is better. Part of the model was chosen on the recordings.',
    ...summaries.flatMap(({ name, parts, forecasts, logLoss, brier, comparisons, buckets }) => [
      '',
      `${name}: ${forecasts} chances in ${parts} parts`,
      ...FORECASTERS.map(
        (forecaster) =>
          `  ${forecaster.padEnd(10)} log-loss ${logLoss[forecaster].toFixed(4)}  Brier ${brier[forecaster].toFixed(4)}`,
      ),
      ...comparisons.map(
        (one) =>
          `  odds - ${one.baseline.padEnd(10)} log-loss ${signed(one.logLoss)}  Brier ${signed(one.brier)}, by part`,
      ),
      ...buckets.map(
        ({ from, to, count, told, happened, standardError }) =>
          `  told ${percent(from)} to ${percent(to)}: n ${String(count).padStart(4)}, told ${percent(told)}, ` +
          `went out ${percent(happened)} (SE ${percent(standardError)})`,
      ),
    ]),
  ].join('\n');
}

function signed({ mean: value, standardError }: PairedDifference): string {
  return `${value >= 0 ? '+' : ''}${value.toFixed(4)} (SE ${standardError.toFixed(4)})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
