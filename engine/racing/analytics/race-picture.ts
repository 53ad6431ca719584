// What the models know of a race: for each car its laps, its tires and its stops, and who is where. Follows the merged frames,
// so that it is a function of them (I7). A lap is clean when it tells the car's pace: a whole lap under green, neither the
// first, nor that after a restart, nor one into, in or out of the pits.

import { integerOf, type JsonObject, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { spelledBoolean } from '#engine/racing/normalise/spelled-boolean.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import { isGreen } from '#engine/racing/race-events/racing.ts';
import { isRacingNumber, racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { gapOf, lapTimeOf } from '#engine/racing/timing-text.ts';
import { fuelSeconds } from './fuel.ts';
import { LapTimeModel } from './lap-time-model.ts';
import type { Car, LapRecord, PitVisit, Standing, Stint, TrackStatus } from './race-car.ts';

const FINISHED: ReadonlySet<string> = new Set(['Finished', 'Finalised', 'Ends']);

type Mutable<Record> = { -readonly [Key in keyof Record]: Record[Key] };

interface MutableCar extends Mutable<Omit<Car, 'laps' | 'stints' | 'visits'>> {
  readonly laps: Mutable<LapRecord>[];
  readonly visits: PitVisit[];
  stints: Stint[];
  /** Whether the lap under way can't be clean any more, and whether the completed one can be. */
  spoiled: boolean;
  cleanOnceTimed: boolean;
  /** Whether cars could not race on some of the lap under way: the one after it begins on cold tires, in a train of cars. */
  neutralised: boolean;
  completedUtcMs: number;
  /** A lap's time that came before the lap's end; null: none. */
  earlyMs: number | null;
  earlyUtcMs: number;
}

/** A sprint has a third of the distance of a Grand Prix. */
export const SPRINTS_PER_RACE = 3;
/** How long after a lap's end its time may come. */
const LAP_TIME_WAIT_MS = 10_000;
/** A gap this much smaller than one of a car in front was told before the car stopped moving. */
const STALE_GAP_SECONDS = 5;

export class RacePicture {
  static readonly topics = ['TimingData', 'TimingAppData', 'TrackStatus', 'LapCount', 'SessionStatus', 'DriverList'];
  /** What clean laps are made of: car, tires, fuel, traffic. */
  readonly lapTimes = new LapTimeModel();
  readonly #cars = new Map<string, MutableCar>();
  #state: SessionState | null = null;
  #green = true;
  #safetyCars = 0;

  /** Answers whether it may be a new moment of the race: not what only tells times and gaps, as most frames do. */
  apply({ topic, utcMs, changes, state }: MergedFrame): boolean {
    this.#state = state;
    switch (topic) {
      case 'TimingData':
        return this.#applyTiming(objectOf(changes.Lines), state, utcMs);
      case 'TimingAppData':
        this.#applyTires(objectOf(changes.Lines), state);
        break;
      case 'TrackStatus':
        this.#applyTrackStatus(textOf(changes.Status), state);
        break;
      case 'LapCount':
        if (state.lap !== null) this.lapTimes.close(state.lap);
    }
    return true;
  }

  /** Lap that the leader is on, from 1; null before the start. */
  get lap(): number | null {
    return this.#state?.lap ?? null;
  }

  /** Planned laps; null: not told. */
  get totalLaps(): number | null {
    return integerOf(this.#state?.topic('LapCount').TotalLaps);
  }

  /** Laps that the leader has still to complete, the present one included; null: not told. */
  get lapsLeft(): number | null {
    const { lap, totalLaps } = this;
    return lap === null || totalLaps === null ? null : Math.max(0, totalLaps - lap + 1);
  }

  get isStarted(): boolean {
    return this.#state?.isStarted ?? false;
  }

  /** Whether cars may race: no safety car, real or virtual, and no red flag. */
  get isGreen(): boolean {
    return this.#green;
  }

  get trackStatus(): TrackStatus {
    const status = this.#state?.topic('TrackStatus').Status;
    if (status === '4') return 'safety_car';
    if (status === '6' || status === '7') return 'virtual_safety_car';
    return status === '5' ? 'red_flag' : 'green';
  }

  /** Whether it is a short race, without stops that the rules demand. */
  get isSprint(): boolean {
    return this.#state?.topic('SessionInfo').Name === 'Sprint';
  }

  /** Whether the race is over; the last cars may still be on their way to the line. */
  get isFinished(): boolean {
    return FINISHED.has(textOf(this.#state?.topic('SessionStatus').Status) ?? '');
  }

  /** Whether a yellow flag is shown somewhere. */
  get isYellow(): boolean {
    return this.#state?.topic('TrackStatus').Status === '2';
  }

  /** Null: not told. */
  get isRaining(): boolean | null {
    const rainfall = numberOf(this.#state?.topic('WeatherData').Rainfall);
    return rainfall === null ? null : rainfall > 0;
  }

  /** Deployments so far, virtual ones included. */
  get safetyCars(): number {
    return this.#safetyCars;
  }

  car(number: string): Car | undefined {
    return this.#cars.get(number);
  }

  /** All cars that were heard of. */
  cars(): Iterable<Car> {
    return this.#cars.values();
  }

  /** The cars with a position that are still in the race, the leader first. */
  order(): Standing[] {
    const state = this.#state;
    if (state === null) return [];
    const standings: Standing[] = [];
    let lapSeconds: number | null = null;
    let frontSeconds = 0;
    for (const [number, position] of Array.from(state.positions).sort(([, a], [, b]) => a - b)) {
      const car = this.#car(number);
      if (car.place === 'out') continue;
      const { GapToLeader, IntervalToPositionAhead } = state.timing(number);
      const gap = gapOf(GapToLeader);
      const interval = gapOf(objectOf(IntervalToPositionAhead).Value);
      const lapsBehind = gap?.lapsBehind ?? 0;
      const seconds = gap?.seconds ?? null;
      const isStale = seconds !== null && seconds < frontSeconds - STALE_GAP_SECONDS;
      if (seconds !== null && !isStale) frontSeconds = seconds;
      if (lapsBehind > 0) lapSeconds ??= this.lapSeconds;
      standings.push({
        car,
        position,
        gapSeconds: lapsBehind > 0 ? lapSeconds && lapsBehind * lapSeconds : isStale ? null : seconds,
        lapsBehind,
        intervalSeconds: interval?.leaderLap === undefined ? (interval?.seconds ?? null) : null,
      });
    }
    return standings;
  }

  /** How long a lap takes now: the median of the cars' latest clean laps; null: nobody has one. */
  get lapSeconds(): number | null {
    const latest: number[] = [];
    for (const { laps } of this.#cars.values()) {
      const lap = laps.findLast(({ clean }) => clean);
      if (lap?.ms != null) latest.push(lap.ms);
    }
    if (latest.length === 0) return null;
    latest.sort((a, b) => a - b);
    return latest[latest.length >> 1]! / 1000;
  }

  /** Answers whether a car went in or out of the pits, or out of the race. */
  #applyTiming(lines: JsonObject, state: SessionState, utcMs: number): boolean {
    let moved = false;
    for (const number of Object.keys(lines)) {
      if (!isRacingNumber(number)) continue;
      const line = objectOf(lines[number]);
      const car = this.#car(number);
      if (line.NumberOfLaps !== undefined) this.#completeLap(car, state, utcMs);
      if (line.LastLapTime !== undefined) this.#timeLap(car, state, utcMs);
      if (
        line.InPit !== undefined ||
        line.PitOut !== undefined ||
        line.Retired !== undefined ||
        line.Stopped !== undefined
      ) {
        this.#updatePlace(car, line, state, utcMs);
        moved = true;
      }
    }
    return moved;
  }

  #completeLap(car: MutableCar, state: SessionState, utcMs: number): void {
    const line = state.timing(car.number);
    const lap = integerOf(line.NumberOfLaps);
    if (lap === null || lap <= (car.laps.at(-1)?.lap ?? 0)) return;
    const ahead = gapOf(objectOf(line.IntervalToPositionAhead).Value);
    car.cleanOnceTimed = !car.spoiled && lap > 1 && lap === car.lapsCompleted + 1 && state.isStarted;
    car.lapsCompleted = lap;
    car.completedUtcMs = utcMs;
    car.spoiled = !this.#green || car.neutralised || car.place !== 'track' || line.PitOut === true;
    car.neutralised = !this.#green;
    car.laps.push({
      lap,
      ms: null,
      clean: false,
      compound: car.stints.at(-1)?.compound ?? null,
      tireAge: tireAgeOf(car),
      aheadSeconds: ahead?.leaderLap === undefined ? (ahead?.seconds ?? null) : null,
      leaderLap: state.lap ?? lap,
    });
    if (car.earlyMs !== null && utcMs - car.earlyUtcMs <= LAP_TIME_WAIT_MS) this.#setLapTime(car, car.earlyMs);
    car.earlyMs = null;
  }

  /** The time comes with the end of the lap, or up to some seconds before or after it. */
  #timeLap(car: MutableCar, state: SessionState, utcMs: number): void {
    const ms = lapTimeOf(objectOf(state.timing(car.number).LastLapTime).Value)?.ms ?? null;
    if (ms === null) return;
    const lap = car.laps.at(-1);
    if (lap !== undefined && lap.ms === null && utcMs - car.completedUtcMs <= LAP_TIME_WAIT_MS)
      this.#setLapTime(car, ms);
    else {
      car.earlyMs = ms;
      car.earlyUtcMs = utcMs;
    }
  }

  #setLapTime(car: MutableCar, ms: number): void {
    const lap = car.laps.at(-1)!;
    lap.ms = ms;
    lap.clean = car.cleanOnceTimed;
    if (lap.clean) this.lapTimes.add(car.number, lap, fuelSeconds(lap.lap, this.totalLaps, this.isSprint));
  }

  #updatePlace(car: MutableCar, line: JsonObject, state: SessionState, utcMs: number): void {
    const { InPit, Retired, Stopped } = state.timing(car.number);
    // The line may be crossed in the pit lane, before the car counts as in it.
    const isAfterLine = utcMs - car.completedUtcMs < LAP_TIME_WAIT_MS;
    // Who starts from the pits is there before, and a car that has stopped on the track is only put away there.
    if (line.InPit === true && state.isStarted && car.place === 'track') {
      this.#recordVisit(car, car.lapsCompleted + (isAfterLine ? 0 : 1), car.stints);
    }
    if (line.InPit === true || line.PitOut === true) {
      car.spoiled = true;
      const last = car.laps.at(-1);
      if (last !== undefined && line.InPit === true && isAfterLine) {
        last.clean = false;
        car.cleanOnceTimed = false;
      }
    }
    car.place = Retired === true || Stopped === true ? 'out' : InPit === true ? 'pits' : 'track';
  }

  #applyTires(lines: JsonObject, state: SessionState): void {
    const all = objectOf(state.topic('TimingAppData').Lines);
    for (const number of racingNumbers(lines)) {
      const car = this.#car(number);
      const { Stints } = objectOf(all[number]);
      if (objectOf(lines[number]).Stints !== undefined) this.#changeTires(car, stintsOf(objectOf(Stints)), state);
    }
  }

  /** Where the timing tells no times in the pits, other tires show a stop. */
  #changeTires(car: MutableCar, stints: Stint[], state: SessionState): void {
    const { stints: before, lapsCompleted } = car;
    car.stints = stints;
    if (lapsCompleted > 0 || !state.isStarted || before.length === 0 || stints.length <= before.length) return;
    if (car.visits.length < stints.length - 1) this.#recordVisit(car, state.lap ?? 1, before);
  }

  #recordVisit(car: MutableCar, inLap: number, stints: Stint[]): void {
    const { compound = null } = stints.at(-1) ?? {};
    const tireAge = tireAgeOf({ stints, lapsCompleted: car.lapsCompleted });
    car.stops++;
    car.visits.push({ inLap, status: this.trackStatus, compound, tireAge });
  }

  #applyTrackStatus(status: string | null, state: SessionState): void {
    if (status === null) return;
    const wasGreen = this.#green;
    this.#green = isGreen(state);
    if (this.#green) return;
    if (wasGreen && (status === '4' || status === '6')) this.#safetyCars++;
    for (const car of this.#cars.values()) {
      car.spoiled = true;
      car.neutralised = true;
    }
  }

  #car(number: string): MutableCar {
    let car = this.#cars.get(number);
    if (car === undefined) {
      car = {
        number,
        laps: [],
        lapsCompleted: 0,
        stints: [],
        stops: 0,
        visits: [],
        place: 'track',
        spoiled: false,
        neutralised: false,
        cleanOnceTimed: false,
        completedUtcMs: 0,
        earlyMs: null,
        earlyUtcMs: 0,
      };
      this.#cars.set(number, car);
    }
    return car;
  }
}

/** Laps that the present tires have done: what is told of them comes late, and not at all for laps behind a safety car. */
export function tireAgeOf({ stints, lapsCompleted }: Pick<Car, 'stints' | 'lapsCompleted'>): number | null {
  const stint = stints.at(-1);
  if (stint === undefined) return null;
  const { startAge, fromLap, tireAge } = stint;
  return startAge === null ? tireAge : Math.max(tireAge, startAge + lapsCompleted - fromLap + 1);
}

/** Where the tires were not changed, as on the way to another start, the stint before goes on: its laps may be told of either. */
function stintsOf(stints: JsonObject): Stint[] {
  const found: Stint[] = [];
  const keys = Object.keys(stints).filter((key) => integerOf(key) !== null);
  for (const key of keys.sort((a, b) => Number(a) - Number(b))) {
    const { Compound, New, TotalLaps, StartLaps, TyresNotChanged } = objectOf(stints[key]);
    const tireAge = integerOf(TotalLaps) ?? 0;
    const startAge = integerOf(StartLaps);
    const last = found.at(-1);
    if (last !== undefined && TyresNotChanged === '1') {
      found[found.length - 1] = { ...last, tireAge: Math.max(last.tireAge, tireAge) };
      continue;
    }
    const fromLap = last === undefined ? 1 : last.fromLap + Math.max(0, last.tireAge - (last.startAge ?? 0));
    found.push({ compound: textOf(Compound), isNew: spelledBoolean(New), tireAge, startAge, fromLap });
  }
  return found;
}
