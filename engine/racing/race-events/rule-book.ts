// Passes each merged frame to the rules that read its topic, and collects their events.

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
      const emitted = rule.apply(frame);
      // Most frames make no event, and most others make events of one rule. Only several rules at once need a new list.
      if (emitted.length > 0) events = events.length === 0 ? emitted : [...events, ...emitted];
    }
    return events;
  }
}
