// What a session shows about the strength of its drivers.

import type { QualifyingResult, RaceResult } from '#engine/seasons/history/history.ts';
import type { Observation } from './ratings.ts';

/**
 * Gap to the fastest driver in percent, the smallest over the segments. The track gets faster from segment to segment,
 * so times are compared only within one. Drivers without any time are left out.
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
 * The negative logarithm of the place, so places at the front count most. Classified drivers only: retirements are
 * modelled separately.
 */
export function raceScores(results: readonly RaceResult[]): Observation[] {
  return results.flatMap(({ driverId, constructorId, classification }) =>
    classification.kind === 'classified'
      ? [{ driverId, constructorId, value: -Math.log(classification.position) }]
      : [],
  );
}
