// fastest_lap: a driver's last lap is marked as the fastest of all, and is faster than any before in this session; in
// qualifying, in this part of it. What the first message tells is known, not new.

import { integerOf, objectOf } from '../json-value.ts';
import { racingNumbers, type SessionState } from '../session-state.ts';
import { lapTimeOf } from '../timing-text.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

export class FastestLapEvents implements RaceEventRule {
  #part: number | null = null;
  #fastestMs = Number.POSITIVE_INFINITY;
  #joined = false;

  apply({ topic, changes, state }: MergedFrame): readonly RaceEvent[] {
    if (topic !== 'TimingData') return NO_EVENTS;
    const part = integerOf(state.topic('TimingData').SessionPart);
    if (part !== this.#part) {
      this.#part = part;
      this.#fastestMs = Number.POSITIVE_INFINITY;
    }
    const lines = objectOf(changes.Lines);
    if (!this.#joined) {
      this.#join(lines);
      return NO_EVENTS;
    }
    const events: RaceEvent[] = [];
    for (const number of racingNumbers(lines)) {
      if (!Object.hasOwn(objectOf(lines[number]), 'LastLapTime')) continue;
      const event = this.#lap(number, state);
      if (event !== null) events.push(event);
    }
    return events;
  }

  #lap(number: string, state: SessionState): RaceEvent | null {
    const line = state.timing(number);
    const last = objectOf(line.LastLapTime);
    const time = lapTimeOf(last.Value);
    if (last.OverallFastest !== true || time === null || time.ms === null || time.ms >= this.#fastestMs) return null;
    this.#fastestMs = time.ms;
    const lap = integerOf(line.NumberOfLaps);
    const data = { time, ...(lap === null ? {} : { lap }), ...(this.#part === null ? {} : { part: this.#part }) };
    return { type: 'fastest_lap', numbers: [number], data };
  }

  #join(lines: object): void {
    for (const line of Object.values(lines)) {
      this.#joined = true;
      const ms = lapTimeOf(objectOf(objectOf(line).BestLapTime).Value)?.ms;
      if (typeof ms === 'number') this.#fastestMs = Math.min(this.#fastestMs, ms);
    }
  }
}
