// Scripted races: every lap time is car + wear + fuel + shared part + noise, and the gaps follow from the lap times.

import { seededRandom } from '#engine/base/random.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { at, DRIVERS } from '#test/racing/scripted-session.ts';

export interface ScriptedCar {
  readonly number: number;
  /** Seconds per lap slower than the fastest car. */
  readonly seconds: number;
  /** Laps that end with a stop, with the new compound. */
  readonly stops?: Readonly<Record<number, string>>;
  readonly compound?: string;
  /** Age of its tires at the start, in laps. */
  readonly startAge?: number;
  /** The lap that ends with its retirement. */
  readonly retires?: number;
}

export interface ScriptedRace {
  readonly cars: readonly ScriptedCar[];
  readonly laps: number;
  readonly totalLaps?: number;
  readonly wearSeconds?: number;
  readonly noiseSeconds?: number;
  readonly stopSeconds?: number;
  /** Seconds that all cars share on a lap. */
  readonly shared?: (lap: number) => number;
  readonly seed?: number;
}

const BASE_SECONDS = 90;
const FUEL_SECONDS = 105 * 0.036;

export const SCRIPTED_NUMBERS = Object.keys(DRIVERS).map(Number);

export function scriptedRace(race: ScriptedRace): Frame[] {
  const { cars, laps, wearSeconds = 0, noiseSeconds = 0, stopSeconds = 21, shared = () => 0 } = race;
  const totalLaps = race.totalLaps ?? laps;
  const random = seededRandom(race.seed ?? 1);
  const line = { InPit: false, PitOut: false, Stopped: false, Retired: false, NumberOfLaps: 0 };
  const frames: Frame[] = [
    at(0, 'SessionInfo', { Type: 'Race', Name: 'Race' }),
    at(0, 'SessionStatus', { Status: 'Inactive' }),
    at(0, 'SessionStatus', { Status: 'Started' }),
    at(0, 'TrackStatus', { Status: '1' }),
    at(0, 'DriverList', DRIVERS),
    at(0, 'LapCount', { CurrentLap: 1, TotalLaps: totalLaps }),
    at(0, 'TimingData', {
      Lines: Object.fromEntries(cars.map(({ number }, i) => [number, { ...line, Position: String(i + 1) }])),
    }),
  ];
  const runs = cars.map((car, index) => ({
    car,
    seconds: index * 0.8,
    compound: car.compound ?? 'MEDIUM',
    age: car.startAge ?? 0,
    stint: 0,
    isOut: false,
  }));
  for (const { car, compound, age } of runs) frames.push(stintFrame(0, car.number, 0, compound, age));
  for (let lap = 1; lap <= laps; lap++) {
    for (const run of runs) {
      if (run.isOut) continue;
      const { car } = run;
      run.age++;
      const isIn = car.stops?.[lap] !== undefined;
      const isOut = car.stops?.[lap - 1] !== undefined;
      const fuel = FUEL_SECONDS * (1 - (lap - 0.5) / totalLaps);
      const noise = noiseSeconds * (random.next() + random.next() + random.next() - 1.5) * 2;
      const lost = (isIn ? 0.2 : isOut ? 0.8 : 0) * stopSeconds;
      const time = BASE_SECONDS + car.seconds + wearSeconds * run.age + fuel + shared(lap) + noise + lost;
      run.seconds += time;
      frames.push(at(run.seconds, 'TimingData', lapOf(car.number, lap, time)));
      const worn = { Lines: { [car.number]: { Stints: { [run.stint]: { TotalLaps: run.age } } } } };
      frames.push(at(run.seconds + 3, 'TimingAppData', worn));
      if (isIn) {
        frames.push(at(run.seconds - 12, 'TimingData', { Lines: { [car.number]: { InPit: true } } }));
        frames.push(at(run.seconds + 10, 'TimingData', { Lines: { [car.number]: { InPit: false, PitOut: true } } }));
        frames.push(at(run.seconds + 30, 'TimingData', { Lines: { [car.number]: { PitOut: false } } }));
        run.compound = car.stops![lap]!;
        run.age = 0;
        frames.push(stintFrame(run.seconds + 11, car.number, ++run.stint, run.compound, 0));
      }
      if (car.retires === lap) {
        run.isOut = true;
        frames.push(at(run.seconds + 5, 'TimingData', { Lines: { [car.number]: { Retired: true } } }));
      }
    }
    const racing = runs.filter(({ isOut }) => !isOut).sort((a, b) => a.seconds - b.seconds);
    const [leader] = racing;
    if (leader === undefined) break;
    racing.forEach((run, index) => {
      const interval = index === 0 ? 0 : run.seconds - racing[index - 1]!.seconds;
      const lines = {
        [run.car.number]: {
          Position: String(index + 1),
          GapToLeader: index === 0 ? `LAP ${lap}` : `+${(run.seconds - leader.seconds).toFixed(3)}`,
          IntervalToPositionAhead: { Value: index === 0 ? `LAP ${lap}` : `+${interval.toFixed(3)}` },
        },
      };
      frames.push(at(run.seconds, 'TimingData', { Lines: lines }));
    });
    if (lap < laps) frames.push(at(leader.seconds - 0.01, 'LapCount', { CurrentLap: lap + 1 }));
  }
  return frames.sort((a, b) => a.utcMs - b.utcMs);
}

function lapOf(number: number, lap: number, seconds: number): object {
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - 60 * minutes).toFixed(3).padStart(6, '0');
  return { Lines: { [number]: { NumberOfLaps: lap, LastLapTime: { Value: `${minutes}:${rest}` } } } };
}

function stintFrame(seconds: number, number: number, stint: number, compound: string, age: number): Frame {
  const tire = { Compound: compound, New: age === 0 ? 'true' : 'false', TotalLaps: age, StartLaps: age };
  return at(seconds, 'TimingAppData', { Lines: { [number]: { Stints: { [stint]: tire } } } });
}
