// Moments of a race at which odds are scored: the situation that they are made from, and how the race ended.

import type { Json } from '#engine/base/json-value.ts';
import { type Odds, OddsMaker, type RaceSituation, situationOf } from '#engine/racing/analytics/odds.ts';
import type { OddsSettings } from '#engine/racing/analytics/odds-settings.ts';
import { RacePicture } from '#engine/racing/analytics/race-picture.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';
import type { RaceResult } from '#engine/seasons/history/history.ts';
import { mean, rankedProbabilityScore } from './scoring.ts';

export interface OddsCase {
  readonly sessionId: string;
  readonly season: number;
  /** Its name. Null: not known. */
  readonly event: string | null;
  /** Quarter of the race, from 1. */
  readonly quarter: number;
  readonly situation: RaceSituation;
  /** By place on the road, from 0: place at the end among the cars with odds, from 0. */
  readonly places: readonly number[];
}

export interface OddsLoss {
  readonly winner: number;
  readonly places: number;
}

/** Each quarter has two moments, a quarter and three quarters through it. */
const MOMENTS = [1, 3, 5, 7, 9, 11, 13, 15].map((sixteenth) => sixteenth / 16);
/** Chances are clipped to 1 and 99 % for every forecaster, which bounds the cost of one surprise. */
const CERTAIN = 0.99;

/** The moments of one race. A race whose end the result does not tell has none. */
export function oddsCases(
  sessionId: string,
  season: number,
  frames: Iterable<Frame>,
  result: readonly RaceResult[],
): readonly OddsCase[] {
  const state = new SessionState(F1.facts);
  const picture = new RacePicture();
  const topics = new Set([...RacePicture.topics, 'SessionInfo', 'Preview']);
  const cases: OddsCase[] = [];
  let next = 0;
  for (const { topic, utcMs, json } of frames) {
    if (!topics.has(topic)) continue;
    const changes = state.apply(topic, JSON.parse(json) as Json);
    if (changes === null) continue;
    picture.apply({ topic, utcMs, changes, state, isSnapshot: false });
    const { lap, totalLaps } = picture;
    if (topic !== 'LapCount' || lap === null || totalLaps === null || !picture.isStarted) continue;
    while (next < MOMENTS.length && lap - 1 >= Math.round(MOMENTS[next]! * totalLaps)) {
      const moment = next++;
      if (next < MOMENTS.length && lap - 1 >= Math.round(MOMENTS[next]! * totalLaps)) continue;
      const situation = situationOf(picture);
      if (situation === null) continue;
      const one = { sessionId, season, event: picture.event, quarter: (moment >> 1) + 1, situation: kept(situation) };
      const places = placesOf(one.situation, result);
      if (places !== null) cases.push({ ...one, places });
    }
  }
  return cases;
}

/** A copy: the next picture overwrites the arrays. */
function kept({ field, ...rest }: RaceSituation): RaceSituation {
  const { standings, gapSeconds, stops, seenSeconds, seenPrecision, strengths, retirements } = field;
  const copy = (array: Float64Array): Float64Array => array.slice(0, standings.length);
  return {
    ...rest,
    field: {
      ...field,
      gapSeconds: copy(gapSeconds),
      stops: copy(stops),
      seenSeconds: copy(seenSeconds),
      seenPrecision: copy(seenPrecision),
      strengths: copy(strengths),
      retirements: copy(retirements),
    },
  };
}

function placesOf({ field }: RaceSituation, result: readonly RaceResult[]): readonly number[] | null {
  const racing = field.standings.map(({ car }) => car.number);
  const order = result.map(({ number }) => number).filter((number) => racing.includes(number));
  return order.length === racing.length ? racing.map((number) => order.indexOf(number)) : null;
}

export function lossesOf(cases: readonly OddsCase[], settings?: OddsSettings): readonly OddsLoss[] {
  const maker = new OddsMaker(settings);
  return cases.map(({ situation, places }) => lossOf(matrixOf(maker.oddsOf(situation)), places));
}

function matrixOf(odds: Odds): readonly (readonly number[])[] {
  return odds.standings.map((_, index) => odds.standings.map((_, place) => odds.chance(index, place + 1)));
}

/** By place now and place at the end, from 0. */
export function lossOf(chances: readonly (readonly number[])[], places: readonly number[]): OddsLoss {
  const total = chances.reduce((sum, row) => sum + row[0]!, 0);
  const winner = chances[places.indexOf(0)]![0]! / total;
  return {
    winner: -Math.log(Math.min(CERTAIN, Math.max(1 - CERTAIN, winner))),
    places: mean(chances.map((row, now) => rankedProbabilityScore(row, places[now]!))),
  };
}
