// session_start: SessionStatus says Started for the first time; further parts of qualifying and restarts are not starts.
// session_end: it says Finalised, or Ends where Finalised did not come; once.
// chequered_flag: race control shows it; in qualifying at the end of each part.
// Whoever joins a session that runs already gets no start, and no end of a session that was over.

import { textOf } from '../json-value.ts';
import { type MergedFrame, plainEvent, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

export class SessionEvents implements RaceEventRule {
  #phase: 'unknown' | 'before' | 'running' | 'over' = 'unknown';

  apply(frame: MergedFrame): readonly RaceEvent[] {
    if (frame.topic === 'SessionStatus') return this.#follow(textOf(frame.changes.Status));
    return recentRaceControl(frame)
      .filter((message) => message.Flag === 'CHEQUERED')
      .map(() => plainEvent('chequered_flag'));
  }

  #follow(status: string | null): readonly RaceEvent[] {
    const before = this.#phase;
    switch (status) {
      case null:
        return [];
      case 'Inactive':
        if (before === 'unknown') this.#phase = 'before';
        return [];
      case 'Started':
        if (before !== 'over') this.#phase = 'running';
        return before === 'before' ? [plainEvent('session_start')] : [];
      case 'Finalised':
      case 'Ends':
        this.#phase = 'over';
        return before === 'running' ? [plainEvent('session_end')] : [];
      default:
        if (before === 'unknown') this.#phase = 'running';
        return [];
    }
  }
}
