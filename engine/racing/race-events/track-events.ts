// Flags and safety cars, from changes of TrackStatus.
//
// yellow_flag, red_flag: the status becomes 2, 5. track_clear: it becomes 1 after another status.
// safety_car_deployed: it becomes 4. safety_car_ending: race control says that the safety car comes in this lap;
// without such a message, the status leaves 4. The status stays 4 for the rest of that lap, so one safety car has one
// deployment and one ending.
// virtual_safety_car_deployed: it becomes 6. virtual_safety_car_ending: it becomes 7, or leaves 6 without that.
// The status at the start of a live connection is not news. After a gap in the messages, a different status makes an
// event.

import { textOf } from '#engine/base/json-value.ts';
import { type MergedFrame, NO_EVENTS, plainEvent, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

type Neutralisation = 'none' | 'safety-car' | 'safety-car-ending' | 'virtual' | 'virtual-ending';

export class TrackEvents implements RaceEventRule {
  readonly topics = ['TrackStatus', 'RaceControlMessages'];
  #status: string | null = null;
  #neutralisation: Neutralisation = 'none';

  apply(frame: MergedFrame): readonly RaceEvent[] {
    if (frame.topic !== 'TrackStatus') return this.#readRaceControl(frame);
    const joins = frame.isSnapshot && this.#status === null;
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

  #readRaceControl(frame: MergedFrame): readonly RaceEvent[] {
    const events: RaceEvent[] = [];
    for (const { Mode, Status } of recentRaceControl(frame)) {
      if (Mode !== 'SAFETY CAR') continue;
      if (Status === 'IN THIS LAP' && this.#neutralisation === 'safety-car') {
        this.#neutralisation = 'safety-car-ending';
        events.push(plainEvent('safety_car_ending'));
      } else if (Status === 'DEPLOYED' && this.#neutralisation === 'safety-car-ending') {
        // The safety car was about to come in and stays out. TrackStatus has not changed.
        this.#neutralisation = 'safety-car';
        events.push(plainEvent('safety_car_deployed'));
      }
    }
    return events;
  }
}
