// Flags and safety cars, from TrackStatus; each is told when the status becomes so.
//
// yellow_flag, red_flag: the status becomes 2, 5. track_clear: it becomes 1 after it was another one.
// safety_car_deployed: it becomes 4. safety_car_ending: race control says that the safety car comes in this lap, or else
// the status leaves 4. The status stays 4 for the rest of that lap, so one safety car has one deployment and one ending.
// virtual_safety_car_deployed: it becomes 6. virtual_safety_car_ending: it becomes 7, or else leaves 6.
// The status that holds when a live connection begins is known, not new; after a gap it is told if it is another one.

import { textOf } from '#engine/base/json-value.ts';
import { type MergedFrame, NO_EVENTS, plainEvent, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

type Neutralisation = 'none' | 'safety-car' | 'safety-car-ending' | 'virtual' | 'virtual-ending';

export class TrackEvents implements RaceEventRule {
  readonly topics = ['TrackStatus', 'RaceControlMessages'];
  #status: string | null = null;
  #neutralisation: Neutralisation = 'none';

  apply(frame: MergedFrame): readonly RaceEvent[] {
    if (frame.topic !== 'TrackStatus') return this.#hearRaceControl(frame);
    const joins = frame.complete && this.#status === null;
    const events = this.#follow(textOf(frame.changes.Status));
    return joins ? NO_EVENTS : events;
  }

  #follow(status: string | null): readonly RaceEvent[] {
    if (status === null || status === this.#status) return NO_EVENTS;
    const events: RaceEvent[] = [];
    const known = this.#status !== null;
    this.#status = status;
    if (this.#neutralisation === 'safety-car') events.push(plainEvent('safety_car_ending'));
    if (this.#neutralisation === 'virtual') events.push(plainEvent('virtual_safety_car_ending'));
    this.#neutralisation = 'none';
    switch (status) {
      case '1':
        if (known) events.push(plainEvent('track_clear'));
        break;
      case '2':
        events.push(plainEvent('yellow_flag'));
        break;
      case '4':
        this.#neutralisation = 'safety-car';
        events.push(plainEvent('safety_car_deployed'));
        break;
      case '5':
        events.push(plainEvent('red_flag'));
        break;
      case '6':
        this.#neutralisation = 'virtual';
        events.push(plainEvent('virtual_safety_car_deployed'));
        break;
      case '7':
        this.#neutralisation = 'virtual-ending';
        break;
    }
    return events;
  }

  #hearRaceControl(frame: MergedFrame): readonly RaceEvent[] {
    const events: RaceEvent[] = [];
    for (const { Mode, Status } of recentRaceControl(frame)) {
      if (Mode !== 'SAFETY CAR') continue;
      if (Status === 'IN THIS LAP' && this.#neutralisation === 'safety-car') {
        this.#neutralisation = 'safety-car-ending';
        events.push(plainEvent('safety_car_ending'));
      } else if (Status === 'DEPLOYED' && this.#neutralisation === 'safety-car-ending') {
        // It was about to come in and stays out: the status has not changed since.
        this.#neutralisation = 'safety-car';
        events.push(plainEvent('safety_car_deployed'));
      }
    }
    return events;
  }
}
