// personal_best: the timing marks a driver's last lap as his fastest, and it beats all his earlier laps in this
// session, or in this part of qualifying. The first timed lap of a race does not count: it has nothing to beat.
// fastest_lap: the timing marks the lap as the fastest of all, and it beats every earlier lap. It is a personal_best,
// too.
//
// When a lap is deleted and the timing returns to a slower best lap, later laps are compared with that one. Laps in the
// first message are not news, and neither are laps in a snapshot after a gap.

import { integerOf, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import type { LapTime } from '#schemas/webhook/lap-time.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

export class LapTimeEvents implements RaceEventRule {
  readonly topics = ['TimingData'];
  #part: number | null = null;
  #fastestMs = Number.POSITIVE_INFINITY;
  readonly #bestMs = new Map<string, number>();
  #joined = false;

  apply({ changes, state, isSnapshot }: MergedFrame): readonly RaceEvent[] {
    if (changes.SessionPart !== undefined) this.#begin(integerOf(changes.SessionPart));
    if (changes.Lines === undefined) return NO_EVENTS;
    const lines = objectOf(changes.Lines);
    let events: RaceEvent[] | null = null;
    for (const number of racingNumbers(lines)) {
      const line = objectOf(lines[number]);
      const known = !this.#joined || isSnapshot;
      if (!known && line.LastLapTime !== undefined) {
        const emitted = this.#lap(number, state);
        if (emitted.length > 0) events = events === null ? emitted : [...events, ...emitted];
      }
      this.#followBest(number, line, known ? null : lapTimeOf(objectOf(state.timing(number).LastLapTime).Value));
    }
    this.#joined ||= Object.keys(lines).length > 0;
    return events ?? NO_EVENTS;
  }

  #begin(part: number | null): void {
    if (part === this.#part) return;
    this.#part = part;
    this.#fastestMs = Number.POSITIVE_INFINITY;
    this.#bestMs.clear();
  }

  #lap(number: string, state: SessionState): RaceEvent[] {
    const line = state.timing(number);
    const last = objectOf(line.LastLapTime);
    if (last.PersonalFastest !== true && last.OverallFastest !== true) return [];
    const time = lapTimeOf(last.Value);
    const bestMs = this.#bestMs.get(number) ?? Number.POSITIVE_INFINITY;
    if (time === null || time.ms === null || time.ms >= bestMs) return [];
    this.#bestMs.set(number, time.ms);
    const lap = integerOf(line.NumberOfLaps);
    const data = { time, ...(lap === null ? {} : { lap }), ...(this.#part === null ? {} : { part: this.#part }) };
    const events: RaceEvent[] = [];
    if (last.OverallFastest === true && time.ms < this.#fastestMs) {
      events.push({ type: 'fastest_lap', numbers: [number], data });
    }
    this.#fastestMs = Math.min(this.#fastestMs, time.ms);
    if (!state.isRace || bestMs !== Number.POSITIVE_INFINITY) {
      events.push({ type: 'personal_best', numbers: [number], data });
    }
    return events;
  }

  /**
   * Adopts the timing's best lap of this part, even if it is slower than the previous one. Skips it if it is the last
   * lap: the mark that makes that lap news may come one message later.
   */
  #followBest(number: string, line: JsonObject, last: LapTime | null): void {
    const ofPart = this.#part === null ? undefined : objectOf(line.BestLapTimes)[this.#part - 1];
    // In the first part, BestLapTime can only be of this part. Later it may still be of an earlier one.
    const best = ofPart ?? ((this.#part ?? 1) === 1 ? line.BestLapTime : undefined);
    const value = objectOf(best).Value;
    if (value === undefined) return;
    const before = this.#bestMs.get(number) ?? Number.POSITIVE_INFINITY;
    const ms = lapTimeOf(value)?.ms ?? Number.POSITIVE_INFINITY;
    if (ms === before || (last !== null && ms === last.ms)) return;
    this.#bestMs.set(number, ms);
    if (ms < this.#fastestMs) this.#fastestMs = ms;
    else if (before === this.#fastestMs) this.#fastestMs = Math.min(Number.POSITIVE_INFINITY, ...this.#bestMs.values());
  }
}
