// Changes of the order in a race: overtake (overtake-events.ts), and position_gained and position_lost for changes that
// overtakes do not explain (position-events.ts).

import { OvertakeEvents } from './overtake-events.ts';
import { PositionEvents } from './position-events.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { StartLap } from './start-lap.ts';

export class OrderEvents implements RaceEventRule {
  readonly topics = ['TimingData', 'RaceControlMessages'];
  readonly #startLap = new StartLap();
  readonly #overtakes = new OvertakeEvents(this.#startLap);
  readonly #positions = new PositionEvents(this.#startLap, this.#overtakes);

  apply(frame: MergedFrame): readonly RaceEvent[] {
    if (!frame.state.isRace) return NO_EVENTS;
    if (frame.topic === 'RaceControlMessages') {
      this.#startLap.apply(frame);
      this.#positions.applyRaceControl(frame);
      return NO_EVENTS;
    }
    const overtakes = this.#overtakes.apply(frame);
    const positions = this.#positions.apply(frame, overtakes);
    if (positions.length === 0) return overtakes;
    return overtakes.length === 0 ? positions : [...overtakes, ...positions];
  }
}
