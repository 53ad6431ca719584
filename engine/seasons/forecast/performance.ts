// What a session shows of the strength of those who drove in it.

import type { QualifyingResult, RaceResult } from '#engine/seasons/history/history.ts';
import type { Observation } from './ratings.ts';

/**
 * Gap to the fastest in percent, the smallest over the segments: the track gets faster from segment to segment, so that times
 * of different ones are not compared. Those without any time are left out.
 */
export function qualifyingGaps(results: readonly QualifyingResult[]): Observation[] {
  const segments = ['q1Ms', 'q2Ms', 'q3Ms'] as const;
  const fastest = segments.map((segment) => Math.min(...results.map((result) => result[segment] ?? Infinity)));
  return results.flatMap(({ driverId, constructorId, ...times }) => {
    const gaps = segments.map((segment, index) => ((times[segment] ?? Infinity) / fastest[index]! - 1) * 100);
    const value = Math.min(...gaps.filter((gap) => Number.isFinite(gap)));
    return Number.isFinite(value) ? [{ driverId, constructorId, value }] : [];
  });
}

/**
 * Logarithm of the place, negated, so that the places in front count most. Only of those who were classified: whether one sees
 * the end is another matter.
 */
export function raceScores(results: readonly RaceResult[]): Observation[] {
  return results.flatMap(({ driverId, constructorId, classification }) =>
    classification.kind === 'classified'
      ? [{ driverId, constructorId, value: -Math.log(classification.position) }]
      : [],
  );
}
