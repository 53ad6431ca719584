// Stops in the pit lane, fastest first: from the history or from a session's outcome. The measure is the time in the pit lane,
// entry to exit, which is all that most sources tell. What is no stop is left out: waiting there while a race is interrupted,
// repairs that take longer than any stop, and, where a session tells them, drive-throughs.

import { driverSlug } from '#engine/history/driver-slug.ts';
import type { NamedWeekend } from '#engine/history/history-store.ts';
import { PIT_LANE_STAY_MS_MAX } from '#engine/limits.ts';
import type { SessionOutcome } from '#engine/session/outcome/session-outcome.ts';

export interface PitTime {
  /** Slug of the name. */
  readonly driver: string;
  readonly tla: string;
  readonly team: string;
  /** Lap at whose end it was. */
  readonly lap: number;
  readonly seconds: number;
}

interface Stop extends Omit<PitTime, 'seconds'> {
  readonly number: string;
  readonly pitLaneMs: number;
}

/** Of a Grand Prix; the history has none of sprints. */
export function historicalPitTimes({ weekend, drivers, constructors }: NamedWeekend): readonly PitTime[] {
  return fastestFirst(
    weekend.pitStops.map(({ driverId, constructorId, number, lap, timeMs }) => ({
      driver: driverSlug(driverId),
      tla: drivers.get(driverId)?.tla ?? '',
      team: constructors.get(constructorId)?.name ?? constructorId,
      number,
      lap,
      pitLaneMs: timeMs,
    })),
  );
}

export function outcomePitTimes({ cars, stops }: SessionOutcome): readonly PitTime[] {
  const byNumber = new Map(cars.map((car) => [car.number, car]));
  return fastestFirst(
    stops.map(({ number, lap, pitLaneMs }) => {
      const car = byNumber.get(number);
      return { driver: car?.driver ?? number, tla: car?.tla ?? '', team: car?.team ?? '', number, lap, pitLaneMs };
    }),
  );
}

/** Equal ones by lap, then by racing number. */
function fastestFirst(stops: readonly Stop[]): readonly PitTime[] {
  return stops
    .filter(({ pitLaneMs }) => pitLaneMs <= PIT_LANE_STAY_MS_MAX)
    .sort((a, b) => a.pitLaneMs - b.pitLaneMs || a.lap - b.lap || Number(a.number) - Number(b.number))
    .map(({ driver, tla, team, lap, pitLaneMs }) => ({ driver, tla, team, lap, seconds: pitLaneMs / 1000 }));
}
