// battle_start: two cars next to each other in the order of a race have been within one second for half a minute, both
// racing: on the track, after the lap of a start, under neither a safety car nor a red flag.
// battle_end: the two of a battle have been more than two seconds apart, or not next to each other, for ten seconds; or at
// once when one of them goes into the pits, stops or retires, or the race is neutralised or ends: `cause` says which. Cars
// that pass each other go on with their battle. `drivers` names the one who is ahead first.
//
// Gaps are those to the car ahead at the latest measuring point. During a gap in the messages battles go on unseen: what a
// complete state shows counts from then.

import { assert } from '#engine/base/assert.ts';
import { objectOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { isGreen, isOnTrack } from './racing.ts';
import { StartLap } from './start-lap.ts';

/** Gap at or below which two cars battle once it has held for the time, and gap above which they no longer do. */
const BATTLE_START_GAP_MS = 1_000;
const BATTLE_END_GAP_MS = 2_000;
const BATTLE_START_HOLD_MS = 30_000;
const BATTLE_END_HOLD_MS = 10_000;

assert(BATTLE_START_GAP_MS < BATTLE_END_GAP_MS, 'a battle does not begin and end at the same gap');

type Cause = 'gap' | 'order' | 'pits' | 'stopped' | 'neutralised';

interface Pair {
  readonly one: string;
  readonly other: string;
  gapMs: number;
  readonly closeSinceUtcMs: number;
  /** Since when they are too far apart, or not next to each other; null while they battle. */
  farSinceUtcMs: number | null;
  started: boolean;
}

export class BattleEvents implements RaceEventRule {
  readonly topics = ['TimingData', 'TrackStatus', 'SessionStatus', 'RaceControlMessages'];
  readonly #startLap = new StartLap();
  #pairs: Pair[] = [];

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const { topic, state, complete } = frame;
    if (topic === 'RaceControlMessages') this.#startLap.hear(frame);
    if (!state.isRace) return NO_EVENTS;
    if (topic === 'TimingData') {
      if (complete) this.#pairs = this.#pairs.filter(({ started }) => started);
      this.#measure(frame);
    }
    return this.#pairs.length === 0 ? NO_EVENTS : this.#judge(frame);
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

  #judge({ state, utcMs }: MergedFrame): readonly RaceEvent[] {
    const neutralised = !state.isStarted || !isGreen(state) || !this.#startLap.isOver(state);
    let events: RaceEvent[] | null = null;
    let over: Pair[] | null = null;
    for (const pair of this.#pairs) {
      const cause = neutralised ? 'neutralised' : endOf(pair, state, utcMs);
      let event: RaceEvent | null = null;
      if (cause !== null) {
        over ??= [];
        over.push(pair);
        if (pair.started) event = tell('battle_end', pair, state, { cause, durationMs: utcMs - pair.closeSinceUtcMs });
      } else if (!pair.started && utcMs - pair.closeSinceUtcMs >= BATTLE_START_HOLD_MS) {
        pair.started = true;
        event = tell('battle_start', pair, state, {});
      }
      if (event === null) continue;
      events ??= [];
      events.push(event);
    }
    if (over !== null) this.#pairs = this.#pairs.filter((pair) => !over.includes(pair));
    return events ?? NO_EVENTS;
  }
}

/** Why the two battle no more, or null when they do. A pair that is no battle yet ends where its first doubt arises. */
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

function tell(
  type: RaceEvent['type'],
  { one, other, gapMs }: Pair,
  state: SessionState,
  more: RaceEvent['data'],
): RaceEvent {
  const position = state.positions.get(one) ?? 0;
  const otherPosition = state.positions.get(other) ?? 0;
  const numbers = position < otherPosition ? [one, other] : [other, one];
  return { type, numbers, data: { position: Math.min(position, otherPosition), gapMs, ...more } };
}

/** Who is one place ahead; null for the first, and while two drivers have the same position. */
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

/** `+0.532` in milliseconds; null for lapped cars, for the leader and for a cleared gap. */
function gapOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\+\d{1,3}\.\d{1,3}$/.test(value)) return null;
  return Math.round(Number(value) * 1000);
}
