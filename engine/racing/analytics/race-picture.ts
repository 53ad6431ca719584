// What the models know of a race: each car's laps, tires, stops and position. Built from the merged frames alone (I7).
//
// A lap is clean when it shows the car's pace: a whole lap under green that is not the first lap, not the lap after a
// restart, and not an in-lap, an out-lap or a lap in the pits.

import { integerOf, type JsonObject, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { RACE_LAPS_MAX } from '#engine/base/limits.ts';
import { spelledBoolean } from '#engine/racing/normalise/spelled-boolean.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import { isGreen } from '#engine/racing/race-events/racing.ts';
import { raceKindOf } from '#engine/racing/race-kind.ts';
import { retirementOf, strengthOf } from '#engine/racing/session/known-before.ts';
import { isRacingNumber, racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { gapOf, lapTimeOf } from '#engine/racing/timing-text.ts';
import type { Gap } from '#schemas/webhook/lap-time.ts';
import { fuelSeconds } from './fuel.ts';
import { LapTimeModel } from './lap-time-model.ts';
import type { Car, LapRecord, PitVisit, Standing, Stint, TrackStatus } from './race-car.ts';

const FINISHED: ReadonlySet<string> = new Set(['Finished', 'Finalised', 'Ends']);

type Mutable<Record> = { -readonly [Key in keyof Record]: Record[Key] };

interface MutableCar extends Mutable<Omit<Car, 'laps' | 'stints' | 'visits'>> {
  readonly laps: Mutable<LapRecord>[];
  readonly visits: PitVisit[];
  stints: Stint[];
  /** Whether the current lap can no longer be clean, and whether the completed one is clean once its time arrives. */
  spoiled: boolean;
  cleanOnceTimed: boolean;
  /**
   * Whether racing was neutralised during the current lap. The next lap then starts on cold tires, in a train of cars.
   */
  neutralised: boolean;
  completedUtcMs: number;
  /** A lap time that arrived before the lap's end. Null: none. */
  earlyMs: number | null;
  earlyUtcMs: number;
  /** The sectors of the current lap in milliseconds, and of the completed one until its time is known. Null: none yet. */
  readonly sectorMs: (number | null)[];
  readonly toLeader: ReadGap;
  readonly toAhead: ReadGap;
}

/** A gap as it was read last. Models ask for the order many times until the source sends another gap. */
interface ReadGap {
  text: unknown;
  gap: Gap | null;
}

/** A sprint has a third of the distance of a Grand Prix. */
export const SPRINTS_PER_RACE = 3;
/** The longest delay between a lap's end and its time, in either direction. */
const LAP_TIME_WAIT_MS = 10_000;
/** A gap this much smaller than that of a car ahead is stale: it predates the car's stop. */
const STALE_GAP_SECONDS = 5;
const SECTORS = 3;
/** Times are cut to whole milliseconds, one by one. */
const SECTORS_OFF_MS = SECTORS;

export class RacePicture {
  static readonly topics = ['TimingData', 'TimingAppData', 'TrackStatus', 'LapCount', 'SessionStatus', 'DriverList'];
  /** Splits clean laps into car, tires, fuel and traffic. */
  readonly lapTimes = new LapTimeModel();
  readonly #cars = new Map<string, MutableCar>();
  #state: SessionState | null = null;
  #green = true;
  #safetyCars = 0;

  /** Returns whether the models may have to run. Most frames only carry times and gaps and return false. */
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

  /** The leader's current lap, from 1. Null: not reported, or one that no race has. */
  get lap(): number | null {
    return raceLaps(this.#state?.lap ?? null);
  }

  /** Planned laps, from 1. Null: not reported, or more than any race has. */
  get totalLaps(): number | null {
    return raceLaps(integerOf(this.#state?.topic('LapCount').TotalLaps));
  }

  /** Laps the leader still has to complete, including the current one. Null: not known. */
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

  /** Whether this is a sprint. A sprint has no mandatory stop. */
  get isSprint(): boolean {
    return raceKindOf(this.#state?.topic('SessionInfo').Name) === 'sprint';
  }

  /** The name of the event, such as "Azerbaijan Grand Prix". Null: not reported. */
  get event(): string | null {
    return textOf(objectOf(this.#state?.topic('SessionInfo').Meeting).Name);
  }

  /** Whether the race is over. The last cars may still be on their way to the line. */
  get isFinished(): boolean {
    return FINISHED.has(textOf(this.#state?.topic('SessionStatus').Status) ?? '');
  }

  /** Whether a yellow flag is out anywhere. */
  get isYellow(): boolean {
    return this.#state?.topic('TrackStatus').Status === '2';
  }

  /** Null: not reported. */
  get isRaining(): boolean | null {
    const rainfall = numberOf(this.#state?.topic('WeatherData').Rainfall);
    return rainfall === null ? null : rainfall > 0;
  }

  /** Safety car deployments so far, including virtual ones. */
  get safetyCars(): number {
    return this.#safetyCars;
  }

  /** A driver's strength before the race. Null: not known. */
  strength(number: string): number | null {
    return this.#state === null ? null : strengthOf(this.#state, number);
  }

  /** A driver's chance of retiring, before the race. Null: not known. */
  retirement(number: string): number | null {
    return this.#state === null ? null : retirementOf(this.#state, number);
  }

  car(number: string): Car | undefined {
    return this.#cars.get(number);
  }

  /** All cars reported so far. */
  cars(): Iterable<Car> {
    return this.#cars.values();
  }

  /** The cars with a position that are not out, the leader first. */
  order(): Standing[] {
    const state = this.#state;
    if (state === null) return [];
    const standings: Standing[] = [];
    let lapSeconds: number | null = null;
    let frontSeconds = 0;
    const { positions } = state;
    for (const number of [...positions.keys()].sort((a, b) => positions.get(a)! - positions.get(b)!)) {
      const car = this.#car(number);
      if (car.place === 'out') continue;
      const { GapToLeader, IntervalToPositionAhead } = state.timing(number);
      const gap = read(car.toLeader, GapToLeader);
      const interval = read(car.toAhead, objectOf(IntervalToPositionAhead).Value);
      const lapsBehind = gap?.lapsBehind ?? 0;
      const seconds = gap?.seconds ?? null;
      const isStale = seconds !== null && seconds < frontSeconds - STALE_GAP_SECONDS;
      if (seconds !== null && !isStale) frontSeconds = seconds;
      if (lapsBehind > 0) lapSeconds ??= this.lapSeconds;
      standings.push({
        car,
        position: positions.get(number)!,
        gapSeconds: lapsBehind > 0 ? lapSeconds && lapsBehind * lapSeconds : isStale ? null : seconds,
        lapsBehind,
        intervalSeconds: interval?.leaderLap === undefined ? (interval?.seconds ?? null) : null,
      });
    }
    return standings;
  }

  /** The present lap time: the median of the cars' latest clean laps. Null: no car has one. */
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

  /** Returns whether a car entered or left the pits, or stopped or retired. */
  #applyTiming(lines: JsonObject, state: SessionState, utcMs: number): boolean {
    let moved = false;
    for (const number of Object.keys(lines)) {
      if (!isRacingNumber(number)) continue;
      const line = objectOf(lines[number]);
      const car = this.#car(number);
      if (line.NumberOfLaps !== undefined) this.#completeLap(car, state, utcMs);
      if (line.LastLapTime !== undefined) this.#timeLap(car, state, utcMs);
      if (line.Sectors !== undefined) timeSectors(car, objectOf(line.Sectors));
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
      sectors: null,
    });
    if (car.earlyMs !== null && utcMs - car.earlyUtcMs <= LAP_TIME_WAIT_MS) this.#setLapTime(car, car.earlyMs);
    car.earlyMs = null;
  }

  /** The time arrives with the end of the lap, or some seconds before or after it. */
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
    joinSectors(car);
    if (lap.clean) this.lapTimes.add(car.number, lap, fuelSeconds(lap.lap, this.totalLaps, this.isSprint));
  }

  #updatePlace(car: MutableCar, line: JsonObject, state: SessionState, utcMs: number): void {
    const { InPit, Retired, Stopped } = state.timing(car.number);
    // The finish line may lie in the pit lane, so a car can cross it just before it counts as in the pits.
    const isAfterLine = utcMs - car.completedUtcMs < LAP_TIME_WAIT_MS;
    // Not a visit: a car that starts from the pits, and one that stopped on the track and is taken back there.
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

  /** Without pit data in the timing, a change of tires reveals a stop. */
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
        sectorMs: Array.from({ length: SECTORS }, () => null),
        toLeader: { text: undefined, gap: null },
        toAhead: { text: undefined, gap: null },
      };
      this.#cars.set(number, car);
    }
    return car;
  }
}

function raceLaps(laps: number | null): number | null {
  return laps !== null && laps >= 1 && laps <= RACE_LAPS_MAX ? laps : null;
}

function read(known: ReadGap, text: unknown): Gap | null {
  if (text !== known.text) {
    known.text = text;
    known.gap = gapOf(text);
  }
  return known.gap;
}

/** Most frames with sectors have marshalling segments alone. */
function timeSectors(car: MutableCar, sectors: JsonObject): void {
  for (let sector = 0; sector < SECTORS; sector++) {
    const seconds = numberOf(objectOf(sectors[sector]).Value);
    if (seconds === null) continue;
    car.sectorMs[sector] = Math.round(seconds * 1000);
    car.sectorMs.fill(null, sector + 1);
    if (sector === SECTORS - 1) joinSectors(car);
  }
}

/** The last sector and the lap time arrive in either order. They are of one lap if they add up. */
function joinSectors({ laps, sectorMs }: MutableCar): void {
  const lap = laps.at(-1);
  const [first, second, third] = sectorMs;
  if (lap?.ms == null || first == null || second == null || third == null) return;
  if (Math.abs(first + second + third - lap.ms) > SECTORS_OFF_MS) return;
  lap.sectors = [first / 1000, second / 1000, third / 1000];
}

/**
 * The age of the current tires in laps. The reported age arrives late and omits laps behind a safety car, so we also
 * count.
 */
export function tireAgeOf({ stints, lapsCompleted }: Pick<Car, 'stints' | 'lapsCompleted'>): number | null {
  const stint = stints.at(-1);
  if (stint === undefined) return null;
  const { startAge, fromLap, tireAge } = stint;
  return startAge === null ? tireAge : Math.max(tireAge, startAge + lapsCompleted - fromLap + 1);
}

/**
 * Where the tires were not changed, as before a restart, the previous stint continues. Its laps may be reported with
 * either entry.
 */
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
