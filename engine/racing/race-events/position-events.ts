// position_gained, position_lost: a driver's position in a race has changed by something else than an overtake, and has
// then held for fifteen seconds. One event covers all changes in the meantime, with the net number of `places`: a
// driver who drops twelve places in the pits gets one event, and a driver who gains as many places as he loses gets
// none. A swap that an overtake event has reported does not count again.
//
// `cause` is the cause of most of the places:
// - pit_stop: the drivers he passed were in the pits, or he was;
// - penalty: the same, for a drive-through penalty;
// - retirement: they stopped, retired, or reached no further measuring point;
// - start: it happened on the lap of a start from the grid. The event comes after that lap;
// - other: a mistake, an accident, places given back, a correction of the order.
//
// A car in the pits gets its event when it is out. A stopped or retired car gets none. Changes while the race is
// interrupted, after its end, or during a gap in the messages make no event.

import { assert } from '#engine/base/assert.ts';
import { objectOf } from '#engine/base/json-value.ts';
import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { OVERTAKE_HOLD_MS, OVERTAKE_WAIT_MS, type OvertakeEvents } from './overtake-events.ts';
import { raceControlEventOf } from './race-control-text.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';
import type { StartLap } from './start-lap.ts';

/** How long a position must stay the same before its change is emitted. */
const POSITION_HOLD_MS = 15_000;
/** How long after a pit stop the places that the car gains or loses count as caused by it. */
const PIT_CAUSE_MS = 120_000;

assert(OVERTAKE_HOLD_MS < POSITION_HOLD_MS, 'an overtake is emitted before the change of position that it explains');

const CAUSES = ['pit_stop', 'penalty', 'retirement', 'start', 'other'] as const;

type Cause = (typeof CAUSES)[number];

interface Car {
  readonly number: string;
  /** The cars ahead of this one when its position was last reported or known. */
  ahead: Set<string>;
  changed: boolean;
  changedUtcMs: number;
  progressUtcMs: number;
  inPit: boolean | null;
  pitUtcMs: number;
  drivesThrough: boolean;
  starting: boolean;
}

export class PositionEvents {
  readonly #startLap: StartLap;
  readonly #overtakes: OvertakeEvents;
  readonly #cars = new Map<string, Car>();
  /** The cars whose position has been told. */
  readonly #placed = new Set<string>();
  /** The number of cars with `changed` set. */
  #changed = 0;
  #racing = false;
  #starting = false;

  constructor(startLap: StartLap, overtakes: OvertakeEvents) {
    this.#startLap = startLap;
    this.#overtakes = overtakes;
  }

  applyRaceControl(frame: MergedFrame): void {
    for (const message of recentRaceControl(frame)) {
      const event = raceControlEventOf(message);
      if (event?.type !== 'penalty' && event?.type !== 'penalty_served') continue;
      if (event.data.penalty !== 'drive_through') continue;
      for (const number of event.numbers) {
        const car = this.#cars.get(number);
        if (car !== undefined) car.drivesThrough = event.type === 'penalty';
      }
    }
  }

  /** Takes a frame of TimingData in a race, and the overtakes that were emitted for it. */
  apply(frame: MergedFrame, overtakes: readonly RaceEvent[]): readonly RaceEvent[] {
    const { state, utcMs, isSnapshot } = frame;
    const racing = state.isStarted && state.topic('TrackStatus').Status !== '5';
    this.#follow(frame);
    this.#place(state);
    if (!racing || isSnapshot || !this.#racing) {
      this.#racing = racing;
      this.#resetAll(state);
      return NO_EVENTS;
    }
    for (const { numbers } of overtakes) this.#countOvertake(numbers[0]!, numbers[1]!);
    for (const number of state.movedFrom.keys()) this.#noteChange(number, utcMs);
    this.#watchStart(state, utcMs);
    return this.#changed === 0 || this.#starting ? NO_EVENTS : this.#emitDue(state, utcMs);
  }

  #follow({ changes, state, utcMs }: MergedFrame): void {
    if (changes.Lines === undefined) return;
    const lines = objectOf(changes.Lines);
    for (const number of racingNumbers(lines)) {
      const line = objectOf(lines[number]);
      const car = this.#car(number, state);
      if (line.Sectors !== undefined || line.NumberOfLaps !== undefined) car.progressUtcMs = utcMs;
      if (typeof line.InPit !== 'boolean' || line.InPit === car.inPit) continue;
      // Before the start, cars leave the pits for the grid.
      if (car.inPit !== null && state.isStarted) car.pitUtcMs = utcMs;
      car.inPit = line.InPit;
    }
  }

  /** A car whose position is reported for the first time was there before. No other car has lost a place to it. */
  #place(state: SessionState): void {
    const { positions } = state;
    if (this.#placed.size === positions.size) return;
    for (const [number, position] of positions) {
      if (this.#placed.has(number)) continue;
      this.#placed.add(number);
      for (const car of this.#cars.values()) {
        if (car.number === number) car.ahead = aheadOf(number, state);
        else if (position < (positions.get(car.number) ?? 0)) car.ahead.add(number);
      }
    }
  }

  #car(number: string, state: SessionState): Car {
    let car = this.#cars.get(number);
    if (car === undefined) {
      car = {
        number,
        ahead: aheadOf(number, state),
        changed: false,
        changedUtcMs: 0,
        progressUtcMs: 0,
        inPit: null,
        pitUtcMs: Number.NEGATIVE_INFINITY,
        drivesThrough: false,
        starting: false,
      };
      if (this.#cars.size < DRIVERS_MAX) this.#cars.set(number, car);
    }
    return car;
  }

  #resetAll(state: SessionState): void {
    this.#changed = 0;
    for (const car of this.#cars.values()) {
      car.ahead = aheadOf(car.number, state);
      car.changed = false;
      car.starting = false;
    }
    this.#starting = false;
  }

  #noteChange(number: string, utcMs: number): void {
    const car = this.#cars.get(number);
    if (car === undefined) return;
    if (!car.changed) this.#changed++;
    car.changed = true;
    car.changedUtcMs = utcMs;
  }

  /** Counts an emitted overtake as reported, so that no change of position reports it again. */
  #countOvertake(ahead: string, behind: string): void {
    this.#cars.get(ahead)?.ahead.delete(behind);
    this.#cars.get(behind)?.ahead.add(ahead);
  }

  #watchStart(state: SessionState, utcMs: number): void {
    const starting = !this.#startLap.isOver(state);
    if (starting === this.#starting) return;
    this.#starting = starting;
    for (const car of this.#cars.values()) {
      if (starting) car.starting = true;
      else if (car.changed) car.changedUtcMs = utcMs;
    }
  }

  #emitDue(state: SessionState, utcMs: number): readonly RaceEvent[] {
    let events: RaceEvent[] | null = null;
    for (const car of this.#cars.values()) {
      if (!car.changed || car.inPit === true || utcMs - car.changedUtcMs < POSITION_HOLD_MS) continue;
      const event = this.#emit(car, state, utcMs);
      if (event === 'later') continue;
      car.changed = false;
      car.starting = false;
      this.#changed--;
      if (event === null) continue;
      events ??= [];
      events.push(event);
    }
    return events ?? NO_EVENTS;
  }

  #emit(car: Car, state: SessionState, utcMs: number): RaceEvent | 'later' | null {
    const ahead = aheadOf(car.number, state);
    const { Stopped, Retired } = state.timing(car.number);
    const won = [...car.ahead].filter((other) => !ahead.has(other));
    const lost = [...ahead].filter((other) => !car.ahead.has(other));
    const open = [...won, ...lost];
    if (open.some((other) => this.#overtakes.isPending(car.number, other))) return 'later';
    const waits = utcMs - car.changedUtcMs < OVERTAKE_WAIT_MS;
    if (waits && won.some((other) => this.#isSilent(other, car, state))) return 'later';
    car.ahead = ahead;
    const places = won.length - lost.length;
    if (places === 0 || Stopped === true || Retired === true) return null;
    const cause = mostFrequent(
      (places > 0 ? won : lost).map((other) => this.#cause(car, other, places > 0, state, utcMs)),
    );
    const data = { places: Math.abs(places), position: state.positions.get(car.number)!, cause };
    return { type: places > 0 ? 'position_gained' : 'position_lost', numbers: [car.number], data };
  }

  /** Returns why the car gained or lost a place to the other. */
  #cause(car: Car, other: string, won: boolean, state: SessionState, utcMs: number): Cause {
    const loser = won ? this.#cars.get(other) : car;
    const winner = won ? car : this.#cars.get(other);
    if (loser !== undefined && (loser.inPit === true || utcMs - loser.pitUtcMs < PIT_CAUSE_MS)) {
      return loser.drivesThrough ? 'penalty' : 'pit_stop';
    }
    const { Stopped, Retired } = state.timing(won ? other : car.number);
    if (Stopped === true || Retired === true || (won && this.#isSilent(other, car, state))) return 'retirement';
    // The car came out of the pits ahead of a car that it was behind before its own stop.
    if (winner !== undefined && utcMs - winner.pitUtcMs < PIT_CAUSE_MS) return 'pit_stop';
    return car.starting ? 'start' : 'other';
  }

  /** Whether the other is on the track but has reached no measuring point since the change. */
  #isSilent(other: string, car: Car, state: SessionState): boolean {
    const { InPit, Stopped, Retired } = state.timing(other);
    if (InPit === true || Stopped === true || Retired === true) return false;
    return (this.#cars.get(other)?.progressUtcMs ?? 0) <= car.changedUtcMs;
  }
}

function aheadOf(number: string, { positions }: SessionState): Set<string> {
  const position = positions.get(number) ?? 0;
  const ahead = new Set<string>();
  for (const [other, place] of positions) if (place < position) ahead.add(other);
  return ahead;
}

/** Returns the most frequent cause. Of equally frequent ones, the first in `CAUSES`. */
function mostFrequent(causes: readonly Cause[]): Cause {
  let most: Cause = 'other';
  let count = 0;
  for (const cause of CAUSES) {
    const times = causes.filter((one) => one === cause).length;
    if (times <= count) continue;
    most = cause;
    count = times;
  }
  return most;
}
