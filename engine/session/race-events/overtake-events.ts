// overtake: a driver is ahead of one who was ahead of him, both of them on the track and racing, and still is ten seconds
// later when the one who was passed has driven on. One event for each driver passed.
//
// Both must have completed a lap and not be in the pits, on the lap out of them or the lap after a stop, stopped or
// retired; the session must be started, the lap not that of a start, and the track neither red nor under a safety car.
// The timing shows the order of the latest measuring point, where cars side by side can change places for a moment: who
// is passed back within the ten seconds was not passed. Who loses to more than three others meanwhile is in trouble, not
// overtaken. A message that moves a driver by more than three places, or more than four drivers forward, corrects the
// order.

import {
  OVERTAKE_GAINERS_MAX,
  OVERTAKE_HOLD_MS,
  OVERTAKE_LOSSES_MAX,
  OVERTAKE_PLACES_MAX,
  OVERTAKE_WAIT_MS,
} from '#engine/limits.ts';
import { integerOf, objectOf, textOf } from '../json-value.ts';
import { racingNumbers, type SessionState } from '../session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

interface Pass {
  readonly ahead: string;
  readonly behind: string;
  readonly sinceUtcMs: number;
  /** Whether the one who was passed has reached a further measuring point. */
  drovenOn: boolean;
}

export class OvertakeEvents implements RaceEventRule {
  /** In the order in which they happened. */
  #passes: Pass[] = [];
  /** The latest order in which no two drivers had the same position; between two frames of one move they may have. */
  #settled: ReadonlyMap<string, number> = new Map();
  readonly #lapsAtStop = new Map<string, number>();
  /** The first lap, or the one of the latest start after laps behind the safety car. */
  #lapOfStart = 1;

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const { topic, state, utcMs } = frame;
    this.#hearOfStart(frame);
    if (topic !== 'TimingData' || !state.isRace) return NO_EVENTS;
    this.#follow(frame);
    this.#dropUnfit(state);
    const moved = state.movedFrom.size > 0 || this.#settled.size !== state.positions.size;
    if (moved && new Set(state.positions.values()).size === state.positions.size) this.#settle(state, utcMs);
    return this.#passes.length === 0 ? NO_EVENTS : this.#confirm(state, utcMs);
  }

  /** Race control announces a start from the grid on the lap before it. */
  #hearOfStart(frame: MergedFrame): void {
    for (const message of recentRaceControl(frame)) {
      const starts = /\b(STANDING|ROLLING) START\b/.test(textOf(message.Message) ?? '');
      if (starts) this.#lapOfStart = (frame.state.lap ?? 0) + 1;
    }
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
    const undone = new Set<string>();
    this.#passes = this.#passes.filter(({ ahead, behind }) => {
      const holds = state.positions.get(ahead)! < state.positions.get(behind)!;
      if (!holds) undone.add(pairOf(behind, ahead));
      return holds;
    });
    const racing = state.isStarted && isGreen(state) && (state.lap === null || state.lap > this.#lapOfStart);
    if (racing && !isCorrection(this.#settled, state.positions)) this.#addPasses(state, utcMs, undone);
    this.#settled = new Map(state.positions);
  }

  #addPasses(state: SessionState, utcMs: number, undone: ReadonlySet<string>): void {
    for (const [ahead, from] of this.#settled) {
      const to = state.positions.get(ahead)!;
      if (to >= from || !this.#races(state, ahead)) continue;
      for (const [behind, before] of this.#settled) {
        if (before >= from || state.positions.get(behind)! <= to) continue;
        if (undone.has(pairOf(ahead, behind)) || !this.#races(state, behind)) continue;
        this.#passes.push({ ahead, behind, sinceUtcMs: utcMs, drovenOn: false });
      }
    }
  }

  #confirm(state: SessionState, utcMs: number): readonly RaceEvent[] {
    const losses = new Map<string, number>();
    for (const { behind } of this.#passes) losses.set(behind, (losses.get(behind) ?? 0) + 1);
    const events: RaceEvent[] = [];
    this.#passes = this.#passes.filter((pass) => {
      if (losses.get(pass.behind)! > OVERTAKE_LOSSES_MAX) return false;
      const heldMs = utcMs - pass.sinceUtcMs;
      if (heldMs < OVERTAKE_HOLD_MS) return true;
      if (!pass.drovenOn) return heldMs < OVERTAKE_WAIT_MS;
      const { ahead, behind } = pass;
      const position = state.positions.get(ahead)!;
      events.push({ type: 'overtake', numbers: [ahead, behind], data: { overtakenNumber: behind, position } });
      return false;
    });
    return events;
  }

  #races(state: SessionState, number: string): boolean {
    const { InPit, PitOut, Stopped, Retired } = state.timing(number);
    if (InPit === true || PitOut === true || Stopped === true || Retired === true) return false;
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

function isGreen(state: SessionState): boolean {
  const status = state.topic('TrackStatus').Status;
  return status === undefined || status === '1' || status === '2';
}

function lapsOf(state: SessionState, number: string): number {
  return integerOf(state.timing(number).NumberOfLaps) ?? 0;
}

function pairOf(ahead: string, behind: string): string {
  return `${ahead}>${behind}`;
}
