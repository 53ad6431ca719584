// overtake: a driver has passed another, and is still ahead ten seconds later, after the passed driver has reached
// another measuring point. One event for each driver passed.
//
// Both must have completed a lap. Neither may be in the pits, on an out lap or on the lap after a stop, stopped or
// retired. The session must be started and past the lap of a start, with neither a red flag nor a safety car on the
// track.
//
// The timing shows the order at the latest measuring point, where cars side by side can swap places for a moment. So:
// - A pass that is undone within the ten seconds is no overtake, and an order that held for less time never counted.
// - A car whose crossing of the line is reported late looks as if all cars behind had passed it. So the passed driver
//   must have completed as many laps as the other.
// - A driver who loses to more than three others in the meantime, or falls more than five seconds behind, is in
//   trouble, not overtaken.
// - A message that moves a driver by more than three places, or more than four drivers forward, corrects the order.
// - A snapshot after a gap in the messages sets the order. Changes during the gap are no overtakes.
//
// position-events.ts needs to know which overtakes were emitted and which are pending: order-events.ts joins the two.

import { assert } from '#engine/base/assert.ts';
import { objectOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { gapOf } from '#engine/racing/timing-text.ts';
import type { PlacedDriver } from '#schemas/webhook/race-event-details.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent } from './race-event-rule.ts';
import { isGreen, isOnTrack, lapsOf } from './racing.ts';
import type { StartLap } from './start-lap.ts';

/** How long a new order must hold before the overtake is emitted. */
export const OVERTAKE_HOLD_MS = 10_000;
/** How long a pass waits for the passed driver to reach another measuring point. */
export const OVERTAKE_WAIT_MS = 60_000;
/** Passes that one driver can suffer within the hold. A driver who suffers more is in trouble. */
const OVERTAKE_LOSSES_MAX = 3;
/** The widest gap to the passed driver at the end of the hold. A driver who has fallen further back is in trouble. */
const OVERTAKE_GAP_MS_MAX = 5_000;
/** Places that one driver can gain in one message, and drivers that can gain places at once. More is a correction. */
const OVERTAKE_PLACES_MAX = 3;
const OVERTAKE_GAINERS_MAX = 4;

assert(OVERTAKE_HOLD_MS < OVERTAKE_WAIT_MS, 'a pass can be confirmed before it is given up');

interface Places {
  readonly before: number;
  readonly after: number;
}

interface Pass {
  readonly ahead: string;
  readonly behind: string;
  readonly sinceUtcMs: number;
  /** Positions of the two in the order before the pass, and in the one that showed it. */
  readonly aheadPlaces: Places;
  readonly behindPlaces: Places;
  /** Whether the passed driver has reached another measuring point. */
  reachedNextPoint: boolean;
  /** Whether the passed driver lost to more than OVERTAKE_LOSSES_MAX at once. */
  inTrouble: boolean;
}

export class OvertakeEvents {
  readonly #startLap: StartLap;
  /** Pending passes, oldest first. */
  #passes: Pass[] = [];
  /** The latest order without shared positions. Between the frames of one move, two drivers can share a position. */
  #lastOrder: ReadonlyMap<string, number> = new Map();
  /** For each pair of drivers, the times of its latest swap and of the one before. */
  readonly #swaps = new Map<string, { readonly utcMs: number; readonly beforeUtcMs: number }>();
  readonly #lapsAtStop = new Map<string, number>();

  constructor(startLap: StartLap) {
    this.#startLap = startLap;
  }

  /** Takes a frame of TimingData in a race. */
  apply(frame: MergedFrame): readonly RaceEvent[] {
    const { state, utcMs, isSnapshot } = frame;
    this.#follow(frame);
    this.#dropUnfit(state);
    const moved = state.movedFrom.size > 0 || this.#lastOrder.size !== state.positions.size;
    if (isSnapshot) this.#passes = [];
    if (isSnapshot && isDistinct(state.positions)) this.#lastOrder = new Map(state.positions);
    else if (moved && isDistinct(state.positions)) this.#compare(state, utcMs);
    return this.#passes.length === 0 ? NO_EVENTS : this.#confirm(state, utcMs);
  }

  /** Whether a pass between the two is pending. */
  isPending(one: string, other: string): boolean {
    return this.#passes.some(
      ({ ahead, behind }) => (ahead === one && behind === other) || (ahead === other && behind === one),
    );
  }

  /** Notes stops, and passed drivers that reached another measuring point. */
  #follow({ changes, state }: MergedFrame): void {
    const lines = objectOf(changes.Lines);
    for (const number of racingNumbers(lines)) {
      const line = objectOf(lines[number]);
      if (line.InPit === true) this.#lapsAtStop.set(number, lapsOf(state, number));
      if (!PROGRESS_FIELDS.some((field) => Object.hasOwn(line, field))) continue;
      for (const pass of this.#passes) {
        if (pass.behind === number) pass.reachedNextPoint = true;
      }
    }
  }

  /** Drops passes whose drivers no longer race each other. */
  #dropUnfit(state: SessionState): void {
    if (this.#passes.length === 0) return;
    const green = isGreen(state);
    this.#passes = this.#passes.filter(
      ({ ahead, behind }) => green && this.#races(state, ahead) && this.#races(state, behind),
    );
  }

  /** Compares the new order with the previous one: drops passes that it undoes, and adds those that it shows. */
  #compare(state: SessionState, utcMs: number): void {
    const racing = state.isStarted && isGreen(state) && this.#startLap.isOver(state);
    const corrects = isCorrection(this.#lastOrder, state.positions);
    for (const [ahead, from] of this.#lastOrder) {
      const to = state.positions.get(ahead)!;
      for (const [behind, before] of this.#lastOrder) {
        const after = state.positions.get(behind)!;
        if (before >= from || after <= to) continue;
        const undone = this.#drop(behind, ahead);
        const held = this.#noteSwap(ahead, behind, undone, utcMs);
        if (!held || corrects || !racing) continue;
        if (!this.#races(state, ahead) || !this.#races(state, behind)) continue;
        this.#passes.push({
          ahead,
          behind,
          sinceUtcMs: utcMs,
          aheadPlaces: { before: from, after: to },
          behindPlaces: { before, after },
          reachedNextPoint: false,
          inTrouble: false,
        });
      }
    }
    this.#lastOrder = new Map(state.positions);
  }

  /** Drops a pending pass. Returns whether there was one. */
  #drop(ahead: string, behind: string): boolean {
    const count = this.#passes.length;
    this.#passes = this.#passes.filter((pass) => pass.ahead !== ahead || pass.behind !== behind);
    return this.#passes.length < count;
  }

  /** Notes that the two swapped places. Returns whether the order before had held; if not, it never counted. */
  #noteSwap(ahead: string, behind: string, undone: boolean, utcMs: number): boolean {
    const pair = ahead < behind ? `${ahead} ${behind}` : `${behind} ${ahead}`;
    const swap = this.#swaps.get(pair);
    const held = !undone && (swap === undefined || utcMs - swap.utcMs >= OVERTAKE_HOLD_MS);
    // Ignore an order that did not hold: the one before it never ended.
    const beforeUtcMs = swap?.beforeUtcMs ?? Number.NEGATIVE_INFINITY;
    if (held) this.#swaps.set(pair, { utcMs, beforeUtcMs: swap?.utcMs ?? Number.NEGATIVE_INFINITY });
    else this.#swaps.set(pair, { utcMs: beforeUtcMs, beforeUtcMs: Number.NEGATIVE_INFINITY });
    return held;
  }

  #confirm(state: SessionState, utcMs: number): readonly RaceEvent[] {
    const losses = new Map<string, number>();
    for (const { behind } of this.#passes) losses.set(behind, (losses.get(behind) ?? 0) + 1);
    const events: RaceEvent[] = [];
    this.#passes = this.#passes.filter((pass) => {
      const heldMs = utcMs - pass.sinceUtcMs;
      if (losses.get(pass.behind)! > OVERTAKE_LOSSES_MAX) pass.inTrouble = true;
      if (heldMs < OVERTAKE_HOLD_MS) return true;
      // The pass stays pending: if it is undone, that is no overtake either.
      if (pass.inTrouble) return heldMs < OVERTAKE_WAIT_MS;
      const { ahead, behind } = pass;
      // A car whose line crossing is not reported yet appears behind the cars whose crossing is.
      const counted = lapsOf(state, behind) >= lapsOf(state, ahead);
      if (!pass.reachedNextPoint || !counted) return heldMs < OVERTAKE_WAIT_MS;
      if (gapBetweenMs(state, ahead, behind) > OVERTAKE_GAP_MS_MAX) return false;
      events.push(overtakeOf(pass, state));
      return false;
    });
    return events;
  }

  #races(state: SessionState, number: string): boolean {
    if (!isOnTrack(state, number)) return false;
    const laps = lapsOf(state, number);
    const lapsAtStop = this.#lapsAtStop.get(number);
    // The lap of a stop ends in the pit lane. The lap after it ends on the track.
    return laps >= 1 && (lapsAtStop === undefined || laps >= lapsAtStop + 2);
  }
}

function overtakeOf({ ahead, behind, aheadPlaces, behindPlaces }: Pass, state: SessionState): RaceEvent {
  const data = {
    overtakenNumber: behind,
    position: state.positions.get(ahead)!,
    overtaking: placedDriver(ahead, aheadPlaces, state),
    overtaken: placedDriver(behind, behindPlaces, state),
  };
  return { type: 'overtake', numbers: [ahead, behind], data };
}

function placedDriver(number: string, { before, after }: Places, state: SessionState): PlacedDriver {
  const { position: _, ...identity } = state.driver(number);
  return { ...identity, positionBefore: before, positionAfter: after };
}

/** Fields of a driver's line that change when the car reaches a measuring point. */
const PROGRESS_FIELDS = ['Sectors', 'Speeds', 'NumberOfLaps'];

/** Whether the message corrects the order, rather than showing passes. */
function isCorrection(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
  let gainers = 0;
  for (const [number, from] of before) {
    const won = from - after.get(number)!;
    if (Math.abs(won) > OVERTAKE_PLACES_MAX) return true;
    if (won > 0) gainers++;
  }
  return gainers > OVERTAKE_GAINERS_MAX;
}

function isDistinct(positions: ReadonlyMap<string, number>): boolean {
  return new Set(positions.values()).size === positions.size;
}

/** Returns the gap between the two at their latest measuring points; 0 where the timing has none. */
function gapBetweenMs(state: SessionState, ahead: string, behind: string): number {
  const first = gapOf(state.timing(ahead).GapToLeader)?.seconds ?? null;
  const second = gapOf(state.timing(behind).GapToLeader)?.seconds ?? null;
  return first === null || second === null ? 0 : (second - first) * 1000;
}
