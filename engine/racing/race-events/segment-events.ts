// The parts of qualifying, from 1. The current part is the latest that TimingData.SessionPart or
// SessionData.QualifyingPart has named.
// segment_start: SessionStatus says Started for the first time in a part. segment_end: it says Finished, or the session
// is finalised, while the part runs, or after an interruption from which the part did not resume.
// knocked_out: the timing marks a driver as knocked out, with his position at that moment. It does so when it sets up
// the next part.
//
// The part that is running in the first message is not news, and neither are drivers who are out by then. A mark in a
// later snapshot still holds, so it makes an event.

import { integerOf, objectOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import {
  type MergedFrame,
  NO_EVENTS,
  type RaceEvent,
  type RaceEventOf,
  type RaceEventRule,
} from './race-event-rule.ts';

export class SegmentEvents implements RaceEventRule {
  readonly topics = ['SessionStatus', 'SessionData', 'TimingData'];
  #part: number | null = null;
  /** The part that started last. */
  #startedPart: number | null = null;
  #running = false;
  /** Whether an earlier status was seen. Only then is Started news. */
  #joined = false;
  readonly #out = new Map<string, boolean>();

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const { topic, changes, state } = frame;
    // A status counts before the kind of session is known.
    if (topic === 'SessionStatus') {
      const events = this.#follow(changes.Status);
      return state.isQualifying ? events : NO_EVENTS;
    }
    if (!state.isQualifying) return NO_EVENTS;
    if (topic === 'TimingData') {
      this.#notePart(integerOf(changes.SessionPart));
      return changes.Lines === undefined ? NO_EVENTS : this.#knockOut(frame);
    }
    const series = objectOf(state.topic('SessionData').Series);
    for (const key of Object.keys(objectOf(changes.Series)))
      this.#notePart(integerOf(objectOf(series[key]).QualifyingPart));
    return NO_EVENTS;
  }

  /** Parts only increase. 0 is the time before the first. */
  #notePart(part: number | null): void {
    if (part === null || part <= (this.#part ?? 0)) return;
    this.#part = part;
    // The connection joined during a part and learns only now which one it is.
    if (this.#running) this.#startedPart ??= part;
  }

  #follow(status: unknown): readonly RaceEvent[] {
    const joined = this.#joined;
    this.#joined = true;
    if (status === 'Started') {
      const begins = !this.#running && this.#startedPart !== this.#part;
      this.#running = true;
      this.#startedPart = this.#part;
      return begins && joined ? this.#segmentEvent('segment_start') : NO_EVENTS;
    }
    if (status === 'Aborted' && !joined) {
      this.#running = true;
      this.#startedPart = this.#part;
    }
    if (!this.#running || (status !== 'Finished' && status !== 'Finalised' && status !== 'Ends')) return NO_EVENTS;
    this.#running = false;
    return this.#segmentEvent('segment_end');
  }

  #segmentEvent(type: 'segment_start' | 'segment_end'): readonly RaceEvent[] {
    return this.#part === null ? NO_EVENTS : [{ type, numbers: [], data: { part: this.#part } }];
  }

  #knockOut({ changes, state }: MergedFrame): readonly RaceEvent[] {
    const lines = objectOf(changes.Lines);
    let events: RaceEventOf<'knocked_out'>[] | null = null;
    for (const number of racingNumbers(lines)) {
      const out = objectOf(lines[number]).KnockedOut;
      const known = this.#out.get(number);
      // The timing sometimes clears the mark and sets it again: a driver who is out stays out.
      if (known === true || (out === undefined && known !== undefined)) continue;
      this.#out.set(number, out === true);
      if (out === true && known === false) {
        events ??= [];
        events.push({ type: 'knocked_out', numbers: [number], data: this.#exit(number, state) });
      }
    }
    return events === null ? NO_EVENTS : events.sort((a, b) => a.data.position - b.data.position);
  }

  /** The driver is out since the part that started last: the current part may be the next one, which is only set up. */
  #exit(number: string, state: SessionState): RaceEventOf<'knocked_out'>['data'] {
    const position = state.positions.get(number) ?? 0;
    return this.#startedPart === null ? { position } : { part: this.#startedPart, position };
  }
}
