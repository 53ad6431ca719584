// A normaliser that a table defines: which fields of a topic become which fields of a payload, and how to read them.
//
// A session feed has all fields in every payload. A driver feed has an entry for each driver with a changed field, with
// the changes only. A change of the driver's identity or position makes an entry, too: every entry shows them.

import { booleanOf, integerOf, type JsonObject, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { NOTHING, type Normalise, touches } from '#engine/racing/normalise/normaliser.ts';
import type { ChangeTree } from '#engine/racing/session/merge.ts';
import type { SessionFacts } from '#engine/racing/session/session-facts.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { gapOf, lapTimeOf } from '#engine/racing/timing-text.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import type { FeedRow } from './series.ts';

const READERS = {
  text: textOf,
  integer: integerOf,
  number: numberOf,
  boolean: booleanOf,
  time: lapTimeOf,
  gap: gapOf,
} as const;

export interface SimpleFeed {
  readonly topic: string;
  readonly feed: FeedRow['feed'];
  /** For `drivers`, the topic is a collection by racing number, or holds one where the facts say. */
  readonly about: 'session' | 'drivers';
  /** By name of the payload field. */
  readonly fields: Readonly<Record<string, { readonly from: string; readonly as: keyof typeof READERS }>>;
}

export function simpleFeedRow(simple: SimpleFeed, facts: SessionFacts): FeedRow {
  const { topic, feed, about } = simple;
  return { topic, feed, normalise: about === 'session' ? sessionFeed(simple) : driverFeed(simple, facts) };
}

function sessionFeed({ topic, fields }: SimpleFeed): Normalise {
  const rows = Object.entries(fields);
  const sources = rows.map(([, { from }]) => from);
  return (changes, state) => {
    if (!touches(changes, sources)) return NOTHING;
    const current = state.topic(topic);
    return [{ data: Object.fromEntries(rows.map(([name, { from, as }]) => [name, READERS[as](current[from])])) }];
  };
}

function driverFeed({ topic, fields }: SimpleFeed, { drivers, timing }: SessionFacts): Normalise {
  const rows = Object.entries(fields);
  const under = topic === timing.topic ? timing.under : null;
  const shownAnyway = [
    ...(topic === drivers.topic ? [drivers.code, drivers.team, ...drivers.names.flat()] : []),
    ...(topic === timing.topic ? [timing.position] : []),
  ];
  return (changes, state) => {
    const collection: JsonObject | ChangeTree = under === null ? changes : objectOf(changes[under]);
    const entries: Driver[] = [];
    for (const number of racingNumbers(collection)) {
      const change = objectOf(collection[number]);
      const changed = rows.filter(([, { from }]) => Object.hasOwn(change, from));
      if (changed.length === 0 && !touches(change, shownAnyway)) continue;
      const values = changed.map(([name, { from, as }]) => [name, READERS[as](change[from])]);
      entries.push(Object.assign(state.driver(number), Object.fromEntries(values)));
    }
    return entries.length === 0 ? NOTHING : [{ drivers: entries }];
  };
}
