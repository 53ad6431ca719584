// team_radio: the timing source has published a message between a driver and his team. `radioPath` is the path of its
// audio below the session's folder there. Messages older than a minute are history: a connection that joins late gets
// them all at once.

import { objectOf, textOf } from '#engine/base/json-value.ts';
import { isRacingNumber } from '#engine/racing/session/session-state.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { MergedFrame, RaceEvent, RaceEventRule } from './race-event-rule.ts';

/** A radio message older than this is history. */
const TEAM_RADIO_RECENT_MS = 60_000;

export class TeamRadioEvents implements RaceEventRule {
  readonly topics = ['TeamRadio'];

  apply({ changes, state, utcMs }: MergedFrame): readonly RaceEvent[] {
    const all = objectOf(state.topic('TeamRadio').Captures);
    const changed = objectOf(changes.Captures);
    const events: RaceEvent[] = [];
    for (const key of Object.keys(changed)) {
      const { Utc, RacingNumber, Path } = objectOf(all[key]);
      const number = textOf(RacingNumber);
      const radioPath = textOf(Path);
      const sentUtcMs = upstreamUtcMs(Utc);
      if (number === null || !isRacingNumber(number) || radioPath === null) continue;
      // A correction of an earlier message does not repeat its path.
      if (objectOf(changed[key]).Path === undefined) continue;
      if (sentUtcMs === null || utcMs - sentUtcMs > TEAM_RADIO_RECENT_MS) continue;
      events.push({ type: 'team_radio', numbers: [number], data: { radioPath } });
    }
    return events;
  }
}
