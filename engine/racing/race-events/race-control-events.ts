// Events from race control: about drivers, from the texts of its messages (race-control-text.ts), and about DRS.
//
// investigation: an incident is noted, is or will be investigated, or needs no further action. `stage` says which.
// penalty, penalty_served, lap_deleted, blue_flag, black_and_white_flag: one event for each message.
// drs_enabled, drs_disabled: a message about DRS changes its status.
// Drivers who are in neither the driver list nor the timing are left out.

import { objectOf } from '#engine/base/json-value.ts';
import { isRacingNumber, type SessionState } from '#engine/racing/session/session-state.ts';
import { raceControlEventOf } from './race-control-text.ts';
import { type MergedFrame, NO_EVENTS, plainEvent, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

export class RaceControlEvents implements RaceEventRule {
  readonly topics = ['RaceControlMessages'];
  #drs: unknown = null;

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const events: RaceEvent[] = [];
    for (const message of recentRaceControl(frame)) {
      if (message.Category === 'Drs') {
        events.push(...this.#readDrs(message.Status));
        continue;
      }
      const event = raceControlEventOf(message);
      if (event === null) continue;
      const numbers = event.numbers.filter((number) => isKnown(number, frame.state));
      // A message about drivers makes no event when none of them is known.
      if (numbers.length > 0 || event.numbers.length === 0) events.push({ ...event, numbers });
    }
    return events;
  }

  #readDrs(status: unknown): readonly RaceEvent[] {
    if (status === this.#drs || (status !== 'ENABLED' && status !== 'DISABLED')) return NO_EVENTS;
    this.#drs = status;
    return [plainEvent(status === 'ENABLED' ? 'drs_enabled' : 'drs_disabled')];
  }
}

function isKnown(number: string, state: SessionState): boolean {
  if (!isRacingNumber(number)) return false;
  return (
    Object.hasOwn(state.topic('DriverList'), number) || Object.hasOwn(objectOf(state.topic('TimingData').Lines), number)
  );
}
