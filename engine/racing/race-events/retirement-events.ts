// retirement, once for each driver:
// - the timing says Retired, as it does since 2023; or
// - in a race, the car stopped on the track, and two laps of the leader later it still stands and has completed no lap.
//   Before 2023 this is the only sign. A car that stops on the last two laps makes no event: it may be classified.
// A driver who is out in the first message is not news. A driver who retires during a gap in the messages gets the
// event after it. `cause` is what race control has said about it: retirement-causes.ts.

import { objectOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { lapsOf } from './racing.ts';
import { RetirementCauses } from './retirement-causes.ts';

const LAPS_STOPPED = 2;

type Car =
  | { readonly kind: 'running' }
  | {
      readonly kind: 'stopped';
      readonly sinceLap: number;
      readonly sinceUtcMs: number;
      readonly lapsCompleted: number;
    }
  | { readonly kind: 'out' };

export class RetirementEvents implements RaceEventRule {
  readonly topics = ['LapCount', 'TimingData', 'RaceControlMessages'];
  readonly #cars = new Map<string, Car>();
  readonly #causes = new RetirementCauses();

  apply(frame: MergedFrame): readonly RaceEvent[] {
    if (frame.topic === 'LapCount') return this.#retireStopped(frame.state);
    if (frame.topic === 'TimingData') return this.#follow(frame);
    this.#causes.note(frame);
    return NO_EVENTS;
  }

  #follow({ changes, state, utcMs }: MergedFrame): readonly RaceEvent[] {
    const lines = objectOf(changes.Lines);
    let events: RaceEvent[] | null = null;
    for (const number of racingNumbers(lines)) {
      const line = objectOf(lines[number]);
      const car = this.#cars.get(number);
      if (car === undefined) {
        this.#cars.set(number, { kind: line.Retired === true ? 'out' : 'running' });
      } else if (car.kind !== 'out' && line.Retired === true) {
        events ??= [];
        events.push(this.#retire(number, state, car.kind === 'stopped' ? car.sinceUtcMs : utcMs, true));
      } else if (car.kind === 'running' && line.Stopped === true && state.isRace && state.lap !== null) {
        this.#cars.set(number, {
          kind: 'stopped',
          sinceLap: state.lap,
          sinceUtcMs: utcMs,
          lapsCompleted: lapsOf(state, number),
        });
      } else if (car.kind === 'stopped' && (line.Stopped === false || lapsOf(state, number) > car.lapsCompleted)) {
        this.#cars.set(number, { kind: 'running' });
      }
    }
    return events ?? NO_EVENTS;
  }

  #retireStopped(state: SessionState): readonly RaceEvent[] {
    const lap = state.lap;
    if (lap === null || !state.isStarted) return NO_EVENTS;
    const events: RaceEvent[] = [];
    for (const [number, car] of this.#cars) {
      if (car.kind === 'stopped' && lap >= car.sinceLap + LAPS_STOPPED) {
        events.push(this.#retire(number, state, car.sinceUtcMs, false));
      }
    }
    return events;
  }

  #retire(number: string, state: SessionState, stoppedUtcMs: number, announced: boolean): RaceEvent {
    this.#cars.set(number, { kind: 'out' });
    const data = { lapsCompleted: lapsOf(state, number), announced, cause: this.#causes.causeOf(number, stoppedUtcMs) };
    return { type: 'retirement', numbers: [number], data };
  }
}
