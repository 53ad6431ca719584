// stopped: while the session is running, the timing marks a car as standing on the track. Emitted once for each lap of
// the car. A car in the pits does not count. A mark in the first message or in a snapshot makes no event: it may be
// old.

import { objectOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';
import { lapsOf } from './racing.ts';

export class StoppedEvents implements RaceEventRule {
  readonly topics = ['TimingData'];
  /** Laps completed at the car's latest `stopped` event; -1 before the first. */
  readonly #lapsAtStop = new Map<string, number>();

  apply({ changes, state, isSnapshot }: MergedFrame): readonly RaceEvent[] {
    if (changes.Lines === undefined) return NO_EVENTS;
    const lines = objectOf(changes.Lines);
    let events: RaceEvent[] | null = null;
    for (const number of racingNumbers(lines)) {
      const before = this.#lapsAtStop.get(number);
      if (before === undefined) this.#lapsAtStop.set(number, -1);
      if (before === undefined || isSnapshot || !state.isStarted || objectOf(lines[number]).Stopped !== true) continue;
      const { InPit, Retired } = state.timing(number);
      const lapsCompleted = lapsOf(state, number);
      if (InPit === true || Retired === true || before === lapsCompleted) continue;
      this.#lapsAtStop.set(number, lapsCompleted);
      events ??= [];
      events.push({ type: 'stopped', numbers: [number], data: { lapsCompleted } });
    }
    return events ?? NO_EVENTS;
  }
}
