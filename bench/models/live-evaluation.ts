// Evaluates live odds: the odds at 25, 50 and 75 % of recorded races against the official result. There are two
// baselines: the current order taken as certain, and the same order smoothed by a kernel that narrows as laps run out.
// Both cover the drivers that have odds.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { objectOf, textOf } from '#engine/base/json-value.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import { SPRINTS_PER_RACE } from '#engine/racing/analytics/race-picture.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import type { History, RaceResult, RaceWeekend } from '#engine/seasons/history/history.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { withStrengths } from './odds-history.ts';
import { brierScore, mean, type PairedDifference, pairedDifference, rankedProbabilityScore } from './scoring.ts';

export type RaceRecording = readonly [sessionId: string, path: string];

/** All recordings of whole races, with their paths in the folder of recordings. */
export const RACE_RECORDINGS: readonly RaceRecording[] = [
  ['2018-azerbaijan-race', 'archive/2018-azerbaijan-race'],
  ['2020-belgium-race', 'archive-partial/2020-belgium-race'],
  ['2025-australia-race', 'archive-partial/2025-australia-race'],
  ['2025-miami-sprint', 'archive/2025-miami-sprint'],
  ['2025-mexico-race', 'archive-partial/2025-mexico-race'],
];
const DISTANCES = [0.25, 0.5, 0.75] as const;
/** Chances are clipped to 1 and 99 % for every forecaster, which bounds the cost of one surprise. */
const CERTAIN = 0.99;
/**
 * The kernel over a whole race: its width in places, and the share of drivers who may finish anywhere. The
 * maximum-likelihood values for grid and result of the 160 races of 2014 to 2021. The width shrinks with the square
 * root of the distance left.
 */
const KERNEL_PLACES = 3.5;
const KERNEL_ANYWHERE = 0.3;

export const LIVE_FORECASTERS = ['live odds', 'order as certain', 'order smoothed'] as const;
export type LiveForecaster = (typeof LIVE_FORECASTERS)[number];

export interface LiveScores {
  readonly winnerLogLoss: number;
  readonly winnerBrier: number;
  /** Mean over the drivers. */
  readonly placesRps: number;
}

/** One recording at one distance. */
export interface LiveCell {
  readonly sessionId: string;
  /** Fraction of the race that the leader has completed. */
  readonly distance: number;
  readonly lap: number;
  readonly drivers: number;
  readonly leaderWon: boolean;
  readonly scores: Readonly<Record<LiveForecaster, LiveScores>>;
}

export interface LiveComparison {
  readonly distance: number;
  readonly races: number;
  readonly baseline: LiveForecaster;
  readonly winnerLogLoss: PairedDifference;
  readonly winnerBrier: PairedDifference;
  readonly placesRps: PairedDifference;
  /** Races in which the odds had the smaller RPS, and the smaller log-loss. */
  readonly betterRps: number;
  readonly betterLogLoss: number;
}

export interface LiveEvaluation {
  readonly cells: readonly LiveCell[];
  readonly comparisons: readonly LiveComparison[];
}

interface OddsUpdate {
  readonly lap: number;
  readonly session: { readonly lapsLeft: number };
  readonly drivers: readonly {
    readonly number: string;
    readonly winProbability: number;
    readonly positionProbabilities: readonly number[];
  }[];
}

/** Folders of recordings that may hold whole races. */
const RECORDING_FOLDERS = ['archive', 'archive-partial', 'fastf1-text', 'signalr-core'] as const;
/** A sprint is held up to two days before the race; a day more, as dates are local here and UTC there. */
const DAYS_BEFORE_RACE = 3;
const DAY_MS = 86_400_000;

export interface RecordingsSince {
  readonly recordings: readonly RaceRecording[];
  /** Paths of those from which no SessionInfo with a date can be read. */
  readonly undated: readonly string[];
}

/**
 * The recordings of races and sprints from a day on of which the history has the result. Which session a recording holds
 * and when it was is what its SessionInfo says, whatever its folder is called.
 */
export function recordingsSince(history: History, folder: string, since: string): RecordingsSince {
  const recordings: RaceRecording[] = [];
  const undated: string[] = [];
  for (const path of recordingPaths(folder)) {
    const session = sessionOf(join(folder, path));
    if (session === null) undated.push(path);
    else if (session.type === 'Race' && session.day >= since) {
      const weekend = weekendOf(session.day, history);
      const sessionId = `${weekend?.eventId}-${session.name.startsWith('Sprint') ? 'sprint' : 'race'}`;
      if (resultOf(sessionId, history).length > 0) recordings.push([sessionId, path]);
    }
  }
  return { recordings, undated };
}

/** The weekend whose race is nearest. */
function weekendOf(day: string, { weekends }: History): RaceWeekend | undefined {
  const daysBefore = (weekend: RaceWeekend) => (Date.parse(weekend.day) - Date.parse(day)) / DAY_MS;
  return weekends
    .filter((weekend) => daysBefore(weekend) >= -1 && daysBefore(weekend) <= DAYS_BEFORE_RACE)
    .toSorted((one, other) => Math.abs(daysBefore(one)) - Math.abs(daysBefore(other)))[0];
}

function recordingPaths(folder: string): readonly string[] {
  return RECORDING_FOLDERS.flatMap((group) =>
    existsSync(join(folder, group))
      ? readdirSync(join(folder, group))
          .filter((name) => !name.startsWith('_'))
          .sort()
          .map((name) => join(group, name))
      : [],
  );
}

/** Null: no SessionInfo with a date can be read. */
function sessionOf(path: string): { readonly type: string; readonly name: string; readonly day: string } | null {
  try {
    for (const { topic, json } of openSource(path).frames()) {
      if (topic !== 'SessionInfo') continue;
      const { Type, Name, StartDate } = objectOf(JSON.parse(json));
      const start = textOf(StartDate);
      if (start === null || Number.isNaN(Date.parse(start))) continue;
      return { type: textOf(Type) ?? '', name: textOf(Name) ?? '', day: start.slice(0, 10) };
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
  }
  return null;
}

/** `folder` holds the recordings. Missing recordings are skipped. */
export function evaluateLiveOdds(
  history: History,
  folder: string,
  recordings: readonly RaceRecording[] = RACE_RECORDINGS,
): LiveEvaluation {
  const forecaster = new Forecaster(history);
  const cells = recordings.flatMap(([sessionId, path]) =>
    existsSync(join(folder, path)) ? cellsOf(sessionId, join(folder, path), history, forecaster) : [],
  );
  const comparisons = DISTANCES.flatMap((distance) => {
    const there = cells.filter((cell) => cell.distance === distance);
    return there.length < 2 ? [] : LIVE_FORECASTERS.slice(1).map((baseline) => compared(distance, baseline, there));
  });
  return { cells, comparisons };
}

function cellsOf(sessionId: string, path: string, history: History, forecaster: Forecaster): LiveCell[] {
  const result = resultOf(sessionId, history);
  if (result.length === 0) return [];
  const eventId = history.weekends.find((weekend) => sessionId.startsWith(`${weekend.eventId}-`))!.eventId;
  const frames = withStrengths([...openSource(path).frames()], forecaster, eventId);
  const updates = oddsUpdates(deriveTimeline({ sessionId, seriesId: 'f1' }, frames));
  const [first] = updates;
  if (first === undefined) return [];
  const total = first.lap - 1 + first.session.lapsLeft;
  return DISTANCES.flatMap((distance) => {
    const odds = updates.find(({ lap }) => lap === Math.round(distance * total) + 1);
    return odds === undefined ? [] : [cellOf(sessionId, distance, odds, total, result)];
  });
}

export function resultOf(sessionId: string, history: History): readonly RaceResult[] {
  const weekend = history.weekends.find(({ eventId }) => sessionId.startsWith(`${eventId}-`));
  return (sessionId.endsWith('-sprint') ? weekend?.sprintResults : weekend?.results) ?? [];
}

function oddsUpdates(timeline: Timeline): readonly OddsUpdate[] {
  const decoder = new TextDecoder();
  const updates: OddsUpdate[] = [];
  for (let position = 0; position < timeline.length; position++) {
    if (timeline.feedId(position) !== 'analytics.race-odds') continue;
    updates.push(JSON.parse(decoder.decode(timeline.body(position))) as OddsUpdate);
  }
  return updates;
}

function cellOf(
  sessionId: string,
  distance: number,
  { lap, session, drivers }: OddsUpdate,
  total: number,
  result: readonly RaceResult[],
): LiveCell {
  const order = result
    .map(({ number }) => number)
    .filter((number) => drivers.some((driver) => driver.number === number));
  const places = drivers.map(({ number }) => order.indexOf(number));
  if (places.includes(-1)) throw new Error(`${sessionId}: the history lacks a driver of lap ${lap}`);
  const fullLaps = sessionId.endsWith('-sprint') ? total * SPRINTS_PER_RACE : total;
  const certain = drivers.map((_, now) => drivers.map((_, place) => (place === now ? 1 : 0)));
  const smoothed = smoothedOrder(drivers.length, session.lapsLeft / fullLaps);
  const winner = places.indexOf(0);
  return {
    sessionId,
    distance,
    lap,
    drivers: drivers.length,
    leaderWon: winner === 0,
    scores: {
      'live odds': scoresOf(
        drivers.map(({ winProbability }) => winProbability),
        drivers.map(({ positionProbabilities }) => positionProbabilities),
        winner,
        places,
      ),
      'order as certain': scoresOf(certain[0]!, certain, winner, places),
      'order smoothed': scoresOf(firstPlaces(smoothed), smoothed, winner, places),
    },
  };
}

function scoresOf(
  wins: readonly number[],
  positions: readonly (readonly number[])[],
  winner: number,
  places: readonly number[],
): LiveScores {
  return {
    winnerLogLoss: -Math.log(Math.min(CERTAIN, Math.max(1 - CERTAIN, wins[winner]!))),
    winnerBrier: brierScore(wins, winner),
    placesRps: mean(positions.map((row, now) => rankedProbabilityScore(row, places[now]!))),
  };
}

/** By place now and place at the end. */
export function smoothedOrder(drivers: number, left: number): readonly (readonly number[])[] {
  const width = KERNEL_PLACES * Math.sqrt(left);
  const anywhere = KERNEL_ANYWHERE * left;
  const all = Array.from({ length: drivers }, (_, place) => place);
  return all.map((now) => {
    const near = all.map((place) => Math.exp(-((place - now) ** 2) / (2 * width ** 2)));
    const sum = near.reduce((total, weight) => total + weight, 0);
    return near.map((weight) => ((1 - anywhere) * weight) / sum + anywhere / drivers);
  });
}

function firstPlaces(positions: readonly (readonly number[])[]): readonly number[] {
  const sum = positions.reduce((total, row) => total + row[0]!, 0);
  return positions.map((row) => row[0]! / sum);
}

function compared(distance: number, baseline: LiveForecaster, cells: readonly LiveCell[]): LiveComparison {
  const values = (name: LiveForecaster, score: keyof LiveScores) => cells.map(({ scores }) => scores[name][score]);
  const difference = (score: keyof LiveScores) => pairedDifference(values('live odds', score), values(baseline, score));
  const better = (score: keyof LiveScores) =>
    cells.filter(({ scores }) => scores['live odds'][score] < scores[baseline][score]).length;
  return {
    distance,
    races: cells.length,
    baseline,
    winnerLogLoss: difference('winnerLogLoss'),
    winnerBrier: difference('winnerBrier'),
    placesRps: difference('placesRps'),
    betterRps: better('placesRps'),
    betterLogLoss: better('winnerLogLoss'),
  };
}

export function describeLiveOdds({ cells, comparisons }: LiveEvaluation): string {
  const head = LIVE_FORECASTERS.map((name) => name.padStart(24)).join('');
  const rows = cells.map(({ sessionId, distance, lap, drivers, leaderWon, scores }) => {
    const values = LIVE_FORECASTERS.map((name) => {
      const { winnerLogLoss, winnerBrier, placesRps } = scores[name];
      return `${winnerLogLoss.toFixed(3)} ${winnerBrier.toFixed(3)} ${placesRps.toFixed(4)}`.padStart(24);
    });
    const where = `${sessionId.padEnd(22)} ${(distance * 100).toFixed(0).padStart(3)} % lap ${String(lap).padStart(2)}`;
    return `${where} ${String(drivers).padStart(3)} cars ${leaderWon ? 'leader won ' : 'leader lost'}${values.join('')}`;
  });
  const differences = comparisons.map(
    ({ distance, races, baseline, winnerLogLoss, winnerBrier, placesRps, betterRps, betterLogLoss }) =>
      `${(distance * 100).toFixed(0)} %, n ${races}, live odds - ${baseline.padEnd(16)} log-loss ${signed(winnerLogLoss, 3)}  ` +
      `Brier ${signed(winnerBrier, 3)}  RPS ${signed(placesRps, 4)}  better: log-loss ${betterLogLoss}, RPS ${betterRps}`,
  );
  return [
    'Live odds against the official result: log-loss and Brier score of the winner, RPS of all places; lower is better',
    `${''.padEnd(55)}${head}`,
    ...rows,
    '',
    'Paired differences by recording with one standard error; negative: the odds are better',
    ...differences,
  ].join('\n');
}

function signed({ mean: value, standardError }: PairedDifference, digits: number): string {
  return `${value >= 0 ? '+' : ''}${value.toFixed(digits)} (SE ${standardError.toFixed(digits)})`;
}
