// The strengths of a race's drivers, and how often they retire, as the message that is recorded with its session. It names drivers as live timing
// does, and is rounded: the digits beyond that say nothing.

import { driverSlug } from '#engine/racing/driver-slug.ts';
import type { KnownBefore } from '#engine/racing/session/known-before.ts';
import type { Forecaster } from './forecaster.ts';

const DIGITS = 1e4;

/** Null: the history does not have the weekend, or nothing before it. The event is one of the history. */
export function strengthsMessage(forecaster: Forecaster, eventId: string): KnownBefore | null {
  if (!forecaster.knows(eventId)) return null;
  const { learntTo, drivers, retirements } = forecaster.strengths(eventId);
  if (learntTo === null || drivers.size === 0) return null;
  return { LearntTo: learntTo, Strengths: bySlug(drivers), Retirements: bySlug(retirements) };
}

function bySlug(drivers: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Array.from(drivers, ([driverId, value]) => [driverSlug(driverId), Math.round(value * DIGITS) / DIGITS]),
  );
}
