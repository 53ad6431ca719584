// overtake: a driver is ahead of one who was ahead of him, both of them on the track and racing, and still is ten seconds
// later when the one who was passed has driven on. One event for each driver passed.
//
// Both must have completed a lap and not be in the pits, on the lap out of them or the lap after a stop, stopped or
// retired; the session must be started, the lap not that of a start, and the track neither red nor under a safety car.
//
// The timing shows the order of the latest measuring point, where cars side by side can change places for a moment: who
// is passed back within the ten seconds was not passed, and an order that did not hold that long was none. A car whose
// crossing of the line is told late looks passed by all behind it, so the one who was passed must have counted as many laps.
// Who loses to more than three others meanwhile, or has fallen five seconds behind, is in trouble, not overtaken. A message
// that moves a driver by more than three places, or more than four drivers forward, corrects the order. What changed over a
// gap is known from the complete state after it, and nobody's overtake.
//
// A part of order-events.ts, which needs to know what was told and what is still being watched.

import { assert } from '#engine/base/assert.ts';
import { objectOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { gapOf } from '#engine/racing/timing-text.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent } from './race-event-rule.ts';
import { isGreen, isOnTrack, lapsOf } from './racing.ts';
import type { StartLap } from './start-lap.ts';

/** How long a new order must hold before it is told. */
export const OVERTAKE_HOLD_MS = 10_000;
/** How long a pass waits for the one who was passed to drive on. */
export const OVERTAKE_WAIT_MS = 60_000;
/** Passes that one driver can suffer within the hold; with more he is in trouble. */
const OVERTAKE_LOSSES_MAX = 3;
/** Gap to the one who was passed, when the pass is told, beyond which he is in trouble. */
const OVERTAKE_GAP_MS_MAX = 5_000;
/** Places that a pass can win at one measuring point, and drivers that can win places at once; more is a correction. */
const OVERTAKE_PLACES_MAX = 3;
const OVERTAKE_GAINERS_MAX = 4;

assert(OVERTAKE_HOLD_MS < OVERTAKE_WAIT_MS, 'a pass can be confirmed before it is given up');

interface Pass {
  readonly ahead: string;
  readonly behind: string;
  readonly sinceUtcMs: number;
  /** Whether the one who was passed has reached a further measuring point. */
  drovenOn: boolean;
  /** Whether the one who was passed lost to too many at once. */
  inTrouble: boolean;
}

export class OvertakeEvents {
  readonly #startLap: StartLap;
  /** In the order in which they happened. */
  #passes: Pass[] = [];
  /** The latest order in which no two drivers had the same position; between two frames of one move they may have. */
  #settled: ReadonlyMap<string, number> = new Map();
  /** When the order of two drivers turned last, and before that. */
  readonly #turns = new Map<string, { readonly utcMs: number; readonly beforeUtcMs: number }>();
  readonly #lapsAtStop = new Map<string, number>();

  constructor(startLap: StartLap) {
    this.#startLap = startLap;
  }

  /** A frame of TimingData in a race. */
  apply(frame: MergedFrame): readonly RaceEvent[] {
    const { state, utcMs, complete } = frame;
    this.#follow(frame);
    this.#dropUnfit(state);
    const moved = state.movedFrom.size > 0 || this.#settled.size !== state.positions.size;
    if (complete) this.#passes = [];
    if (complete && isDistinct(state.positions)) this.#settled = new Map(state.positions);
    else if (moved && isDistinct(state.positions)) this.#settle(state, utcMs);
    return this.#passes.length === 0 ? NO_EVENTS : this.#confirm(state, utcMs);
  }

  /** Whether a pass between the two is being watched. */
  isPending(one: string, other: string): boolean {
    return this.#passes.some(
      ({ ahead, behind }) => (ahead === one && behind === other) || (ahead === other && behind === one),
    );
  }

  /** Notes stops, and who has driven on since he was passed. */
  #follow({ changes, state }: MergedFrame): void {
    const lines = objectOf(changes.Lines);
    for (const number of racingNumbers(lines)) {
      const line = objectOf(lines[number]);
      if (line.InPit === true) this.#lapsAtStop.set(number, lapsOf(state, number));
      if (!PROGRESS_FIELDS.some((field) => Object.hasOwn(line, field))) continue;
      for (const pass of this.#passes) {
        if (pass.behind === number) pass.drovenOn = true;
      }
    }
  }

  /** Forgets passes whose drivers no longer race each other. */
  #dropUnfit(state: SessionState): void {
    if (this.#passes.length === 0) return;
    const green = isGreen(state);
    this.#passes = this.#passes.filter(
      ({ ahead, behind }) => green && this.#races(state, ahead) && this.#races(state, behind),
    );
  }

  /** Compares a new order with the latest one: forgets passes that it takes back, and notes those that it shows. */
  #settle(state: SessionState, utcMs: number): void {
    const racing = state.isStarted && isGreen(state) && this.#startLap.isOver(state);
    const corrects = isCorrection(this.#settled, state.positions);
    for (const [ahead, from] of this.#settled) {
      const to = state.positions.get(ahead)!;
      for (const [behind, before] of this.#settled) {
        if (before >= from || state.positions.get(behind)! <= to) continue;
        const undone = this.#takeBack(behind, ahead);
        const held = this.#turn(ahead, behind, undone, utcMs);
        if (!held || corrects || !racing) continue;
        if (!this.#races(state, ahead) || !this.#races(state, behind)) continue;
        this.#passes.push({ ahead, behind, sinceUtcMs: utcMs, drovenOn: false, inTrouble: false });
      }
    }
    this.#settled = new Map(state.positions);
  }

  /** Forgets a pass that is being watched. Answers whether there was one. */
  #takeBack(ahead: string, behind: string): boolean {
    const count = this.#passes.length;
    this.#passes = this.#passes.filter((pass) => pass.ahead !== ahead || pass.behind !== behind);
    return this.#passes.length < count;
  }

  /** Notes that the order of the two turned. Answers whether the order before had held: else it was none. */
  #turn(ahead: string, behind: string, undone: boolean, utcMs: number): boolean {
    const pair = ahead < behind ? `${ahead} ${behind}` : `${behind} ${ahead}`;
    const turn = this.#turns.get(pair);
    const held = !undone && (turn === undefined || utcMs - turn.utcMs >= OVERTAKE_HOLD_MS);
    // An order that did not hold is forgotten: the one before it has never ended.
    const beforeUtcMs = turn?.beforeUtcMs ?? Number.NEGATIVE_INFINITY;
    if (held) this.#turns.set(pair, { utcMs, beforeUtcMs: turn?.utcMs ?? Number.NEGATIVE_INFINITY });
    else this.#turns.set(pair, { utcMs: beforeUtcMs, beforeUtcMs: Number.NEGATIVE_INFINITY });
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
      // It is watched on: when it is taken back, that is no overtake either.
      if (pass.inTrouble) return heldMs < OVERTAKE_WAIT_MS;
      const { ahead, behind } = pass;
      // A car whose line crossing was not told yet is behind those whose was.
      const counted = lapsOf(state, behind) >= lapsOf(state, ahead);
      if (!pass.drovenOn || !counted) return heldMs < OVERTAKE_WAIT_MS;
      if (gapBetweenMs(state, ahead, behind) > OVERTAKE_GAP_MS_MAX) return false;
      const position = state.positions.get(ahead)!;
      events.push({ type: 'overtake', numbers: [ahead, behind], data: { overtakenNumber: behind, position } });
      return false;
    });
    return events;
  }

  #races(state: SessionState, number: string): boolean {
    if (!isOnTrack(state, number)) return false;
    const laps = lapsOf(state, number);
    const lapsAtStop = this.#lapsAtStop.get(number);
    // The lap of a stop ends in the pit lane, the lap after it on the track.
    return laps >= 1 && (lapsAtStop === undefined || laps >= lapsAtStop + 2);
  }
}

/** What changes in a driver's line when his car reaches a measuring point. */
const PROGRESS_FIELDS = ['Sectors', 'Speeds', 'NumberOfLaps'];

/** Whether the order was put right rather than followed. */
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

/** How far the second is behind the first at their latest measuring points; 0 where the timing does not tell. */
function gapBetweenMs(state: SessionState, ahead: string, behind: string): number {
  const first = gapOf(state.timing(ahead).GapToLeader)?.seconds ?? null;
  const second = gapOf(state.timing(behind).GapToLeader)?.seconds ?? null;
  return first === null || second === null ? 0 : (second - first) * 1000;
}
