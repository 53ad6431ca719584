// battle_start: for half a minute, two cars next to each other in the order of a race have been within one second. Both
// are racing: on the track, after the lap of a start, under neither a safety car nor a red flag.
// battle_end: for ten seconds, the two have been more than two seconds apart or not next to each other. It comes at
// once when one of them enters the pits, stops or retires, or when the race is neutralised or ends. `cause` says which.
// Cars that pass each other stay in the same battle. `drivers` names the car ahead first.
//
// Gaps are to the car ahead, at the latest measuring point. A battle survives a gap in the messages: what the
// next snapshot shows counts from its arrival.

import { assert } from '#engine/base/assert.ts';
import { objectOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { isGreen, isOnTrack } from './racing.ts';
import { StartLap } from './start-lap.ts';

/**
 * A battle starts when the gap has stayed at or below the first value, and ends when it has stayed above the second.
 */
const BATTLE_START_GAP_MS = 1_000;
const BATTLE_END_GAP_MS = 2_000;
const BATTLE_START_HOLD_MS = 30_000;
const BATTLE_END_HOLD_MS = 10_000;

assert(BATTLE_START_GAP_MS < BATTLE_END_GAP_MS, 'a battle ends at a wider gap than it starts at');

type Cause = 'gap' | 'order' | 'pits' | 'stopped' | 'neutralised';

interface Pair {
  readonly one: string;
  readonly other: string;
  gapMs: number;
  readonly closeSinceUtcMs: number;
  /** When they came to be too far apart, or no longer next to each other; null while they battle. */
  farSinceUtcMs: number | null;
  started: boolean;
}

export class BattleEvents implements RaceEventRule {
  readonly topics = ['TimingData', 'TrackStatus', 'SessionStatus', 'RaceControlMessages'];
  readonly #startLap = new StartLap();
  #pairs: Pair[] = [];

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const { topic, state, isSnapshot } = frame;
    if (topic === 'RaceControlMessages') this.#startLap.apply(frame);
    if (!state.isRace) return NO_EVENTS;
    if (topic === 'TimingData') {
      if (isSnapshot) this.#pairs = this.#pairs.filter(({ started }) => started);
      this.#measure(frame);
    }
    return this.#pairs.length === 0 ? NO_EVENTS : this.#evaluate(frame);
  }

  #measure({ changes, state, utcMs }: MergedFrame): void {
    if (changes.Lines === undefined) return;
    const lines = objectOf(changes.Lines);
    for (const number of racingNumbers(lines)) {
      const interval = objectOf(lines[number]).IntervalToPositionAhead;
      if (interval === undefined) continue;
      const gapMs = gapOf(objectOf(interval).Value);
      if (gapMs === null) continue;
      const ahead = aheadOf(number, state);
      if (ahead === null) continue;
      const pair = this.#pairs.find(
        ({ one, other }) => (one === number && other === ahead) || (one === ahead && other === number),
      );
      if (pair !== undefined) pair.gapMs = gapMs;
      else if (gapMs <= BATTLE_START_GAP_MS && this.#mayBattle(ahead, number, state)) {
        this.#pairs.push({
          one: ahead,
          other: number,
          gapMs,
          closeSinceUtcMs: utcMs,
          farSinceUtcMs: null,
          started: false,
        });
      }
    }
  }

  #mayBattle(one: string, other: string, state: SessionState): boolean {
    const racing = state.isStarted && isGreen(state) && this.#startLap.isOver(state);
    return racing && isOnTrack(state, one) && isOnTrack(state, other);
  }

  #evaluate({ state, utcMs }: MergedFrame): readonly RaceEvent[] {
    const neutralised = !state.isStarted || !isGreen(state) || !this.#startLap.isOver(state);
    let events: RaceEvent[] | null = null;
    let over: Pair[] | null = null;
    for (const pair of this.#pairs) {
      const cause = neutralised ? 'neutralised' : endOf(pair, state, utcMs);
      let event: RaceEvent | null = null;
      if (cause !== null) {
        over ??= [];
        over.push(pair);
        if (pair.started)
          event = {
            type: 'battle_end',
            ...placesOf(pair, state, { cause, durationMs: Math.round(utcMs - pair.closeSinceUtcMs) }),
          };
      } else if (!pair.started && utcMs - pair.closeSinceUtcMs >= BATTLE_START_HOLD_MS) {
        pair.started = true;
        event = { type: 'battle_start', ...placesOf(pair, state, {}) };
      }
      if (event === null) continue;
      events ??= [];
      events.push(event);
    }
    if (over !== null) this.#pairs = this.#pairs.filter((pair) => !over.includes(pair));
    return events ?? NO_EVENTS;
  }
}

/** Returns why the battle is over, or null while it continues. Before battle_start, a single lapse ends the pair. */
function endOf(pair: Pair, state: SessionState, utcMs: number): Cause | null {
  for (const number of [pair.one, pair.other]) {
    if (isOnTrack(state, number)) continue;
    const { Stopped, Retired } = state.timing(number);
    return Stopped === true || Retired === true ? 'stopped' : 'pits';
  }
  const apart = Math.abs((state.positions.get(pair.one) ?? 0) - (state.positions.get(pair.other) ?? 0)) !== 1;
  if (!pair.started) return apart || pair.gapMs > BATTLE_START_GAP_MS ? 'gap' : null;
  if (!apart && pair.gapMs <= BATTLE_END_GAP_MS) {
    pair.farSinceUtcMs = null;
    return null;
  }
  pair.farSinceUtcMs ??= utcMs;
  if (utcMs - pair.farSinceUtcMs < BATTLE_END_HOLD_MS) return null;
  return apart ? 'order' : 'gap';
}

/** Returns the drivers of an event, the car ahead first, and its details. */
function placesOf<More extends object>({ one, other, gapMs }: Pair, state: SessionState, more: More) {
  const position = state.positions.get(one) ?? 0;
  const otherPosition = state.positions.get(other) ?? 0;
  const numbers = position < otherPosition ? [one, other] : [other, one];
  return { numbers, data: { position: Math.min(position, otherPosition), gapMs, ...more } };
}

/** Returns the driver one place ahead; null for the leader, and while two drivers share that place. */
function aheadOf(number: string, { positions }: SessionState): string | null {
  const place = positions.get(number);
  let ahead: string | null = null;
  for (const [other, position] of positions) {
    if (position !== (place ?? 0) - 1) continue;
    if (ahead !== null) return null;
    ahead = other;
  }
  return ahead;
}

/** Returns the milliseconds of `+0.532`; null for lapped cars, the leader and a cleared gap. */
function gapOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\+\d{1,3}\.\d{1,3}$/.test(value)) return null;
  return Math.round(Number(value) * 1000);
}
