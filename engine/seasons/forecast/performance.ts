// What a session shows about the strength of its drivers.

import type { QualifyingResult, RaceResult, RaceWeekend } from '#engine/seasons/history/history.ts';
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

/** The gaps of a driver in practice: the smallest, and the mean over his sessions. Percent of the fastest time. */
export interface PracticeGaps {
  readonly best: number;
  readonly mean: number;
}

/**
 * The gaps of all drivers in the practice that comes before every qualifying session: all of it, or the first session
 * of a weekend with a sprint. Null: no times are known. Gaps are clamped to `gapMax`, which also stands for a driver
 * without a time: what is slower has not tried.
 */
export function practiceGaps(
  { practice, hasSprint }: Pick<RaceWeekend, 'practice' | 'hasSprint'>,
  gapMax: number,
): ((driverId: string) => PracticeGaps) | null {
  const gaps = new Map<string, number[]>();
  for (const [session, times] of Map.groupBy(practice, ({ session }) => session)) {
    if (hasSprint && session > 1) continue;
    const fastest = Math.min(...times.map(({ timeMs }) => timeMs));
    for (const { driverId, timeMs } of times) {
      const own = gaps.get(driverId) ?? [];
      gaps.set(driverId, own);
      own.push(Math.min(gapMax, (timeMs / fastest - 1) * 100));
    }
  }
  if (gaps.size === 0) return null;
  return (driverId) => {
    const own = gaps.get(driverId) ?? [gapMax];
    return { best: Math.min(...own), mean: own.reduce((sum, gap) => sum + gap, 0) / own.length };
  };
}
