// session_start: SessionStatus says Started for the first time. session_aborted: it says Aborted while the session ran.
// session_resumed: it says Started after that. The next part of qualifying is a segment_start instead.
// session_end: it says Finalised, or Ends if Finalised did not come. Emitted once.
// chequered_flag: race control shows it; in qualifying at the end of each part.
// If the first message comes while the session is running, there is no session_start. If the session is interrupted
// then, its resumption is emitted. If it is over, there is no session_end.
//
// session_start and session_end say which kind of session it is. session_end has the driver in first place, unless
// nobody is, or two are, as between the messages of one move.

import { textOf } from '#engine/base/json-value.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import { type SessionType, sessionTypeOf } from '#engine/racing/session-slug.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import { type MergedFrame, NO_EVENTS, plainEvent, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

export class SessionEvents implements RaceEventRule {
  readonly topics = ['SessionStatus', 'RaceControlMessages'];
  #phase: 'unknown' | 'before' | 'running' | 'aborted' | 'between' | 'over' = 'unknown';

  apply(frame: MergedFrame): readonly RaceEvent[] {
    if (frame.topic === 'SessionStatus') return this.#follow(textOf(frame.changes.Status), frame.state);
    return recentRaceControl(frame)
      .filter((message) => message.Flag === 'CHEQUERED')
      .map(() => plainEvent('chequered_flag'));
  }

  #follow(status: string | null, state: SessionState): readonly RaceEvent[] {
    const before = this.#phase;
    switch (status) {
      case 'Inactive':
        // The upstream also says Inactive during an interruption, and between the parts of qualifying.
        if (before === 'unknown') this.#phase = 'before';
        return NO_EVENTS;
      case 'Started':
        if (before !== 'over') this.#phase = 'running';
        if (before === 'before') {
          return [{ type: 'session_start', numbers: [], data: { sessionType: typeOf(state) } }];
        }
        return before === 'aborted' ? [plainEvent('session_resumed')] : NO_EVENTS;
      case 'Aborted':
        if (before === 'running' || before === 'unknown') this.#phase = 'aborted';
        return before === 'running' ? [plainEvent('session_aborted')] : NO_EVENTS;
      case 'Finished':
        if (before !== 'over') this.#phase = 'between';
        return NO_EVENTS;
      case 'Finalised':
      case 'Ends':
        this.#phase = 'over';
        return before === 'running' || before === 'aborted' || before === 'between'
          ? [{ type: 'session_end', numbers: [], data: { sessionType: typeOf(state), winner: winnerOf(state) } }]
          : NO_EVENTS;
      default:
        return NO_EVENTS;
    }
  }
}

function typeOf(state: SessionState): SessionType | null {
  const { Type, Name } = state.topic('SessionInfo');
  return sessionTypeOf(textOf(Type), textOf(Name));
}

function winnerOf(state: SessionState): Driver | null {
  const first = Array.from(state.positions).filter(([, position]) => position === 1);
  return first.length === 1 ? state.driver(first[0]![0]) : null;
}
