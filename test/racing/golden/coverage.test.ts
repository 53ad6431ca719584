// The golden sessions leave nothing out: what no session exercises, no test of what they give can guard.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { inflated, isCompressed } from '#engine/racing/normalise/samples.ts';
import { KNOWN_SERIES, seriesOf } from '#engine/racing/series/known-series.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS, serialisePayload } from '#schemas/webhook/payloads.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { payloadsOf } from '#test/racing/real-sessions.ts';
import { GOLDEN_SESSIONS } from './golden-sessions.ts';

test('every feed, of every series and with every model, has updates in a golden session', () => {
  const told = new Set(GOLDEN_SESSIONS.flatMap(({ timeline }) => [...timeline.columns.feed]));
  const silent = FEEDS.filter((_, index) => !told.has(index)).map(({ feedId }) => feedId);
  assert.deepEqual(silent, []);
});

test('every type of race event is told in a golden session', () => {
  const told = new Set(GOLDEN_SESSIONS.flatMap(({ timeline }) => [...timeline.columns.eventType]));
  assert.deepEqual(
    RACE_EVENT_TYPES.filter((_, index) => !told.has(index + 1)),
    [],
  );
});

test('every row that says which topic feeds which feed makes updates', () => {
  const told = new Set<string>();
  for (const { head, frames } of GOLDEN_SESSIONS) {
    const series = seriesOf(head.seriesId);
    const feedRows = () =>
      series.feedRows().map(({ topic, feed, normalise }) => ({
        topic,
        feed,
        normalise: (...about: Parameters<typeof normalise>) => {
          const contents = normalise(...about);
          if (contents.length > 0) told.add(`${topic} ${feed}`);
          return contents;
        },
      }));
    const builder = new TimelineBuilder(head, serialisePayload);
    const deriver = new SessionDeriver(builder, { ...series, feedRows, analytics: () => null });
    for (const frame of frames) assert.equal(deriver.apply(frame), null);
  }
  const rows = KNOWN_SERIES.flatMap((series) => series.feedRows().map(({ topic, feed }) => `${topic} ${feed}`));
  assert.deepEqual(
    rows.filter((row) => !told.has(row)),
    [],
  );
});

/** Paths of all fields in a message, with indexes, racing numbers and team names as `*`; of a list besides `path[]`. */
function* fieldsIn(value: unknown, path: string): Generator<string> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) yield `${path}[]`;
  for (const [key, field] of Object.entries(value)) {
    const isPlace = /^\d*$/.test(key) || path.endsWith('.Teams');
    if (!Array.isArray(value) && /^\d+$/.test(key)) yield `${path}{}`;
    yield* fieldsIn(field, `${path}.${isPlace ? '*' : key}`);
  }
}

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
}

/** The paths that a description of messages has, in the same form. The marks of the merge rules aside. */
function* fieldsOf(schema: Schema, path: string): Generator<string> {
  yield path;
  const forms = schema.anyOf ?? [];
  if (forms.some(({ items }) => items) && forms.some(({ patternProperties }) => patternProperties)) {
    yield* [`${path}[]`, `${path}{}`];
  }
  // Among racing numbers the marks may stand, which are no fields.
  const isMarked = forms.some(({ type }) => type === 'boolean');
  for (const form of forms) if (!isMarked || form.properties !== undefined) yield* fieldsOf(form, path);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (name === '_kf' || name === '_deleted') continue;
    yield* fieldsOf(field, `${path}.${/^\d+$/.test(name) ? '*' : name}`);
  }
  for (const field of Object.values(schema.patternProperties ?? {})) yield* fieldsOf(field, `${path}.*`);
  if (schema.items !== undefined) yield* fieldsOf(schema.items, `${path}.*`);
}

test('every field of every topic that is read occurs, and every collection as a list and in parts', () => {
  const said = new Set<string>();
  for (const { frames } of GOLDEN_SESSIONS) {
    for (const { topic, json } of frames) {
      const message = JSON.parse(json);
      for (const field of fieldsIn(isCompressed(topic) ? inflated(message) : message, topic)) said.add(field);
    }
  }
  const missing = new Set<string>();
  for (const { messages } of KNOWN_SERIES) {
    for (const [topic, schema] of Object.entries(messages)) {
      for (const field of fieldsOf(schema as Schema, topic)) if (!said.has(field)) missing.add(field);
    }
  }
  assert.deepEqual([...missing], []);
});

/** Paths of all that a payload tells, and the words of its choices: `events.race.data.cause=gap`. */
function* toldIn(value: unknown, path: string): Generator<string> {
  yield path;
  if (typeof value === 'string' || typeof value === 'boolean') yield `${path}=${value}`;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) yield* toldIn(part, Array.isArray(value) ? path : `${path}.${key}`);
}

/** What a payload may tell, in the same form. */
function* tellable({ anyOf = [], properties = {}, items, enum: words = [] }: Schema, path: string): Generator<string> {
  yield path;
  for (const word of words) yield `${path}=${word}`;
  for (const form of anyOf) yield* tellable(form, path);
  for (const [name, part] of Object.entries(properties)) yield* tellable(part, `${path}.${name}`);
  if (items !== undefined) yield* tellable(items, path);
}

/** What cannot be: a lap where none are counted, and a gap in laps between best times or among the first three. */
const NEVER =
  /^(session\.info|analytics\.qualifying)\.lap$|(gapToFastest|qualifyingParts\.gapToAhead)\.(lapsBehind|leaderLap)$|^timing\.top-three\..*lapsBehind$|^karting\..*leaderLap$/;

test('every field of every payload is told, and every word that it may say', () => {
  const told = new Set<string>();
  for (const { timeline } of GOLDEN_SESSIONS) {
    for (const payload of payloadsOf(timeline)) for (const path of toldIn(payload, payload.feed)) told.add(path);
  }
  const all = FEEDS.flatMap(({ feedId }) => [...tellable(PAYLOAD_SCHEMAS[feedId] as Schema, feedId)]);
  assert.deepEqual(
    [...new Set(all)].filter((path) => !told.has(path) && !NEVER.test(path)),
    [],
  );
});
