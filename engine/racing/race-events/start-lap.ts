// The lap of the latest start from the grid. The order sorts itself out on it, so the rules emit no overtakes and
// battles, and report changes of position only after it.

import { textOf } from '#engine/base/json-value.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { MergedFrame } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

export class StartLap {
  #lap = 1;

  /** Race control announces a start from the grid on the lap before it. */
  apply(frame: MergedFrame): void {
    if (frame.topic !== 'RaceControlMessages') return;
    for (const message of recentRaceControl(frame)) {
      const starts = /\b(STANDING|ROLLING) START\b/.test(textOf(message.Message) ?? '');
      if (starts) this.#lap = (frame.state.lap ?? 0) + 1;
    }
  }

  /** Whether the leader is on a later lap. */
  isOver({ lap }: SessionState): boolean {
    return lap === null || lap > this.#lap;
  }
}
