// Pit stops, fastest first, from the history or from the outcome of a session. The time is that in the pit lane, from
// entry to exit, because most sources have nothing else.
//
// Stays in the pit lane that are not stops are left out: waiting while a race is interrupted, repairs that take longer
// than any stop, and drive-throughs. A session's outcome marks drive-throughs. In the history they are faster than any
// stop: 270 of 8,654 stays from 2014 to 2025 are 2.5 to 7 s below the median of their race. They are penalties, and
// whole fields following a safety car through the pit lane. Where most stays of a race are of that kind, the history
// does not reveal them.

import { median } from '#engine/base/median.ts';
import { driverSlug } from '#engine/racing/driver-slug.ts';
import { PIT_LANE_STAY_MS_MAX } from '#engine/racing/normalise/pit-lane.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import type { NamedWeekend } from '#engine/seasons/history/history-store.ts';
import { teamName } from '#engine/seasons/history/team-name.ts';

export interface PitTime {
  /** Slug of the name. */
  readonly driver: string;
  readonly tla: string;
  readonly team: string;
  /** Slug of the team's name. Null: not known. */
  readonly constructorId: string | null;
  /** The lap that ended with the stop. */
  readonly lap: number;
  readonly seconds: number;
}

interface Stop extends Omit<PitTime, 'seconds'> {
  readonly number: string;
  readonly pitLaneMs: number;
}

/** A stay this much shorter than the median of the race was not a stop: even the fastest stops take two seconds. */
const STATIONARY_MS = 2_500;
/** The median needs at least this many stays. */
const STAYS_MIN = 5;

/** Pit stops of a Grand Prix. The history has none for sprints. */
export function historicalPitTimes({ weekend, drivers, constructors }: NamedWeekend): readonly PitTime[] {
  const stays = weekend.pitStops.map(({ timeMs }) => timeMs).filter((timeMs) => timeMs <= PIT_LANE_STAY_MS_MAX);
  const stopMs = stays.length < STAYS_MIN ? 0 : median(stays) - STATIONARY_MS;
  const stops = weekend.pitStops.filter(({ timeMs }) => timeMs >= stopMs);
  return fastestFirst(
    stops.map(({ driverId, constructorId, number, lap, timeMs }) => ({
      driver: driverSlug(driverId),
      tla: drivers.get(driverId)?.tla ?? '',
      ...teamName(constructors, constructorId, weekend.season),
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
      return {
        driver: car?.driver ?? number,
        tla: car?.tla ?? '',
        team: car?.team ?? '',
        constructorId: car?.constructorId ?? null,
        number,
        lap,
        pitLaneMs,
      };
    }),
  );
}

/** Ties are broken by lap, then by racing number. */
function fastestFirst(stops: readonly Stop[]): readonly PitTime[] {
  return stops
    .filter(({ pitLaneMs }) => pitLaneMs <= PIT_LANE_STAY_MS_MAX)
    .sort((a, b) => a.pitLaneMs - b.pitLaneMs || a.lap - b.lap || Number(a.number) - Number(b.number))
    .map(({ number: _, pitLaneMs, ...stop }) => ({ ...stop, seconds: pitLaneMs / 1000 }));
}
