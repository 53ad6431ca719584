// On which lap the cars started from the grid the last time: on it the order sorts itself out, and nobody is told to have
// won or lost places against anybody.

import { textOf } from '#engine/base/json-value.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { MergedFrame } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

export class StartLap {
  #lap = 1;

  /** Race control announces a start from the grid on the lap before it. */
  hear(frame: MergedFrame): void {
    if (frame.topic !== 'RaceControlMessages') return;
    for (const message of recentRaceControl(frame)) {
      const starts = /\b(STANDING|ROLLING) START\b/.test(textOf(message.Message) ?? '');
      if (starts) this.#lap = (frame.state.lap ?? 0) + 1;
    }
  }

  /** Whether the leader has begun a lap after that of the start. */
  isOver({ lap }: SessionState): boolean {
    return lap === null || lap > this.#lap;
  }
}
