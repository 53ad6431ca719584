// Laps in tables of laps as the models of stops see them: what is known as each car begins a lap, whether it came in for
// tires at its end, which tires it took, and how often it stopped until the end. Changes under a red flag are no stops.

import { isWetTire } from '#engine/racing/analytics/compound-rule.ts';
import { SPRINTS_PER_RACE } from '#engine/racing/analytics/race-picture.ts';
import type { StopLap } from '#engine/racing/analytics/stop-hazard.ts';
import { type TireKind, tireNames } from '#engine/racing/analytics/tire-kinds.ts';
import { isInLap, type TableLap, type TableRace } from './lap-tables.ts';

export interface StintCase {
  readonly race: TableRace;
  readonly number: string;
  readonly lap: number;
  readonly known: StopLap;
  /** Kinds of tires that the car has used. */
  readonly used: ReadonlySet<TireKind>;
  readonly stops: boolean;
  /** The lap of the next stop. Null: none. */
  readonly nextStop: number | null;
  /** The tires taken at the end of this lap. Null: no stop, or not known. */
  readonly next: TireKind | null;
  /** Stops until the end, with this lap's. Null: the car did not finish. */
  readonly stopsLeft: number | null;
}

/** A car that finished is so many laps behind, at most. */
const LAPS_BEHIND_MAX = 3;

/** Laps under a red flag and on unknown tires are left out; so is a race whose table does not tell when tires were changed. */
export function stintCases(race: TableRace): StintCase[] {
  if (!tellsTires(race)) return [];
  const { kindOf } = tireNames(
    new Set([...race.cars.values()].flatMap((laps) => laps.map(({ compound }) => compound))),
  );
  const fullLaps = race.isSprint ? race.laps * SPRINTS_PER_RACE : race.laps;
  const fields = Array.from({ length: race.laps + 1 }, (_, lap) => fieldOn(race, lap));
  return [...race.cars].flatMap(([number, laps]) => {
    const used = new Set<TireKind>();
    const stopLaps = laps.filter((lap) => isStop(lap, laps[lap.lap])).map(({ lap }) => lap);
    const hasFinished = laps.length >= race.laps - LAPS_BEHIND_MAX;
    return laps.flatMap((now): StintCase[] => {
      const before = laps[now.lap - 2];
      const kind = kindOf(now.compound);
      if (kind !== null) used.add(kind);
      if (before === undefined || kind === null || now.tireAge === null || now.trackStatus.includes('5')) return [];
      const later = stopLaps.filter((lap) => lap >= now.lap);
      const stops = later[0] === now.lap;
      const field = fields[now.lap - 1]!;
      const isWet = isWetTire(kind);
      const holds = (digits: RegExp) => digits.test(before.trackStatus) && digits.test(now.trackStatus);
      return [
        {
          race,
          number,
          lap: now.lap,
          used: new Set(used),
          known: {
            kind,
            ageLaps: Math.max(0, now.tireAge - 1),
            lapsLeft: race.laps - now.lap + 1,
            fullLaps,
            owesCompound: !race.isSprint && used.size === 1 && !isWet,
            stopsDone: stopLaps.length - later.length,
            moment: {
              otherTires: isWet ? 1 - field.wet : field.wet,
              stopping: field.stopping,
              safetyCar: holds(/4/),
              virtualSafetyCar: holds(/[67]/),
            },
          },
          stops,
          nextStop: later[0] ?? null,
          next: stops ? kindOf(laps[now.lap]!.compound) : null,
          stopsLeft: hasFinished ? later.length : null,
        },
      ];
    });
  });
}

/** Whether most visits to the pits came with other tires. */
function tellsTires({ cars }: TableRace): boolean {
  const visits = [...cars.values()].flatMap((laps) =>
    laps.filter((lap) => isInLap(lap) && laps[lap.lap] !== undefined),
  );
  const changes = [...cars.values()].flatMap((laps) => laps.filter((lap) => isStop(lap, laps[lap.lap])));
  return 2 * changes.length >= visits.length;
}

function isStop(lap: TableLap, next: TableLap | undefined): boolean {
  return (
    isInLap(lap) &&
    next !== undefined &&
    next.stint !== lap.stint &&
    !`${lap.trackStatus}${next.trackStatus}`.includes('5')
  );
}

/** Shares of the cars on rain tires at the end of the lap, and of those that come in there. */
function fieldOn({ cars }: TableRace, lap: number): { readonly wet: number; readonly stopping: number } {
  const driven = Array.from(cars.values(), (laps) => laps[lap - 1]).filter((one) => one !== undefined);
  const share = (counts: (one: TableLap) => boolean) => driven.filter(counts).length / Math.max(1, driven.length);
  return { wet: share(({ compound }) => isWetTire(compound)), stopping: share(isInLap) };
}
