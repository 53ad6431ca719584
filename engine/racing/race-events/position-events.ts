// position_gained, position_lost: a driver's position in a race has changed otherwise than by overtakes, and has been the
// same for fifteen seconds since. One event for all of what changed meanwhile, with the net number of `places`: a driver
// who drops twelve places in the pits has one event, and who wins as many places as he loses has none. What an overtake
// between two drivers told is not told again here.
//
// `cause`, that of most of the places:
// - pit_stop: those he is ahead of now were in the pits, or he was; - penalty: as before, for a drive-through penalty;
// - retirement: they stopped, retired, or passed no measuring point any more; - start: it happened on the lap of a start
//   from the grid, and is told after it; - other: a mistake, an accident, places given back, a correction of the order.
//
// Nothing is told of cars that are in the pits (it waits until they are out), stopped or retired; and nothing of what
// happened while the race was interrupted, after its end, or over a gap.

import { assert } from '#engine/base/assert.ts';
import { objectOf } from '#engine/base/json-value.ts';
import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { OVERTAKE_HOLD_MS, OVERTAKE_WAIT_MS, type OvertakeEvents } from './overtake-events.ts';
import { raceControlEventOf } from './race-control-text.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';
import type { StartLap } from './start-lap.ts';

/** How long a position must have stayed the same before what it won or lost without overtakes is told. */
const POSITION_HOLD_MS = 15_000;
/** How long after its stop a car's places are won and lost by it. */
const PIT_CAUSE_MS = 120_000;

assert(OVERTAKE_HOLD_MS < POSITION_HOLD_MS, 'an overtake is told before the position that it won');

const CAUSES = ['pit_stop', 'penalty', 'retirement', 'start', 'other'] as const;

type Cause = (typeof CAUSES)[number];

interface Car {
  readonly number: string;
  /** Who was ahead of him when his position was told or known last. */
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
  /** Cars whose position changed and was not looked at since. */
  #changed = 0;
  #racing = false;
  #starting = false;

  constructor(startLap: StartLap, overtakes: OvertakeEvents) {
    this.#startLap = startLap;
    this.#overtakes = overtakes;
  }

  hearRaceControl(frame: MergedFrame): void {
    for (const message of recentRaceControl(frame)) {
      const event = raceControlEventOf(message);
      if (event?.data.penalty !== 'drive_through') continue;
      for (const number of event.numbers) {
        const car = this.#cars.get(number);
        if (car !== undefined) car.drivesThrough = event.type === 'penalty';
      }
    }
  }

  /** A frame of TimingData in a race, with the overtakes that it told. */
  apply(frame: MergedFrame, overtakes: readonly RaceEvent[]): readonly RaceEvent[] {
    const { state, utcMs, complete } = frame;
    const racing = state.isStarted && state.topic('TrackStatus').Status !== '5';
    this.#follow(frame);
    if (!racing || complete || !this.#racing) {
      this.#racing = racing;
      this.#anchorAll(state);
      return NO_EVENTS;
    }
    for (const { numbers } of overtakes) this.#settle(numbers[0]!, numbers[1]!);
    for (const number of state.movedFrom.keys()) this.#noteChange(number, utcMs);
    this.#watchStart(state, utcMs);
    return this.#changed === 0 || this.#starting ? NO_EVENTS : this.#tellDue(state, utcMs);
  }

  #follow({ changes, state, utcMs }: MergedFrame): void {
    if (changes.Lines === undefined) return;
    const lines = objectOf(changes.Lines);
    for (const number of racingNumbers(lines)) {
      const line = objectOf(lines[number]);
      const car = this.#car(number, state);
      if (line.Sectors !== undefined || line.NumberOfLaps !== undefined) car.progressUtcMs = utcMs;
      if (typeof line.InPit !== 'boolean' || line.InPit === car.inPit) continue;
      // Cars leave the pits for the grid, too.
      if (car.inPit !== null && state.isStarted) car.pitUtcMs = utcMs;
      car.inPit = line.InPit;
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

  #anchorAll(state: SessionState): void {
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

  /** Takes an overtake that was told for known. */
  #settle(ahead: string, behind: string): void {
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

  #tellDue(state: SessionState, utcMs: number): readonly RaceEvent[] {
    let events: RaceEvent[] | null = null;
    for (const car of this.#cars.values()) {
      if (!car.changed || car.inPit === true || utcMs - car.changedUtcMs < POSITION_HOLD_MS) continue;
      const event = this.#tell(car, state, utcMs);
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

  #tell(car: Car, state: SessionState, utcMs: number): RaceEvent | 'later' | null {
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

  /** Why he is ahead of the other, or behind him. */
  #cause(car: Car, other: string, won: boolean, state: SessionState, utcMs: number): Cause {
    const loser = won ? this.#cars.get(other) : car;
    const winner = won ? car : this.#cars.get(other);
    if (loser !== undefined && (loser.inPit === true || utcMs - loser.pitUtcMs < PIT_CAUSE_MS)) {
      return loser.drivesThrough ? 'penalty' : 'pit_stop';
    }
    const { Stopped, Retired } = state.timing(won ? other : car.number);
    if (Stopped === true || Retired === true || (won && this.#isSilent(other, car, state))) return 'retirement';
    // He comes out of the pits ahead of one whom he was behind before his own stop.
    if (winner !== undefined && utcMs - winner.pitUtcMs < PIT_CAUSE_MS) return 'pit_stop';
    return car.starting ? 'start' : 'other';
  }

  /** Whether the other, on the track, passed no measuring point since the change. */
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

/** The first of `CAUSES` that none is more frequent than. */
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
