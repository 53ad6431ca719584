// milestone: the leader of a race has completed 25, 50, 75 or 90 % of its laps, by LapCount. Each is emitted once. When
// several pass at once, as over a gap, only the last is emitted. Milestones before the first message are not news.

import { integerOf } from '#engine/base/json-value.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

const PERCENTS = [25, 50, 75, 90];

export class MilestoneEvents implements RaceEventRule {
  readonly topics = ['LapCount'];
  #joined = false;
  #reached = 0;

  apply({ state }: MergedFrame): readonly RaceEvent[] {
    const { CurrentLap, TotalLaps } = state.topic('LapCount');
    const lap = integerOf(CurrentLap);
    const totalLaps = integerOf(TotalLaps);
    if (!state.isRace || lap === null || totalLaps === null || totalLaps < 1) return NO_EVENTS;
    const lapsCompleted = lap - 1;
    let percent = 0;
    for (const mark of PERCENTS) if (lapsCompleted * 100 >= mark * totalLaps) percent = mark;
    const joined = this.#joined;
    this.#joined = true;
    if (percent <= this.#reached) return NO_EVENTS;
    this.#reached = percent;
    return joined ? [{ type: 'milestone', numbers: [], data: { percent, lapsCompleted, totalLaps } }] : NO_EVENTS;
  }
}
