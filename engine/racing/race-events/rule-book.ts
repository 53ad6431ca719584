// Shows frames to the rules for race events: each sees the frames of the topics that it names.

import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

export class RuleBook {
  readonly #rulesByTopic: ReadonlyMap<string, readonly RaceEventRule[]>;

  constructor(rules: readonly RaceEventRule[]) {
    const byTopic = new Map<string, RaceEventRule[]>();
    for (const rule of rules) {
      for (const topic of rule.topics) {
        const readers = byTopic.get(topic);
        if (readers === undefined) byTopic.set(topic, [rule]);
        else readers.push(rule);
      }
    }
    this.#rulesByTopic = byTopic;
  }

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const rules = this.#rulesByTopic.get(frame.topic);
    if (rules === undefined) return NO_EVENTS;
    let events = NO_EVENTS;
    for (const rule of rules) {
      const told = rule.apply(frame);
      // Most frames tell nothing and most others one rule's events: only two rules at once need a new list.
      if (told.length > 0) events = events.length === 0 ? told : [...events, ...told];
    }
    return events;
  }
}
