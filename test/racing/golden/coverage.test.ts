// The golden sessions must cover everything: tests can only guard what a session exercises.

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

test('every feed of every series, models included, has updates in a golden session', () => {
  const derived = new Set(GOLDEN_SESSIONS.flatMap(({ timeline }) => [...timeline.columns.feed]));
  const silent = FEEDS.filter((_, index) => !derived.has(index)).map(({ feedId }) => feedId);
  assert.deepEqual(silent, []);
});

test('every type of race event occurs in a golden session', () => {
  const derived = new Set(GOLDEN_SESSIONS.flatMap(({ timeline }) => [...timeline.columns.eventType]));
  assert.deepEqual(
    RACE_EVENT_TYPES.filter((_, index) => !derived.has(index + 1)),
    [],
  );
});

test('every row of a topic and its feed makes updates', () => {
  const derived = new Set<string>();
  for (const { head, frames } of GOLDEN_SESSIONS) {
    const series = seriesOf(head.seriesId);
    const feedRows = () =>
      series.feedRows().map(({ topic, feed, normalise }) => ({
        topic,
        feed,
        normalise: (...about: Parameters<typeof normalise>) => {
          const contents = normalise(...about);
          if (contents.length > 0) derived.add(`${topic} ${feed}`);
          return contents;
        },
      }));
    const builder = new TimelineBuilder(head, serialisePayload);
    const deriver = new SessionDeriver(builder, { ...series, feedRows, analytics: () => null });
    for (const frame of frames) assert.equal(deriver.apply(frame), null);
  }
  const rows = KNOWN_SERIES.flatMap((series) => series.feedRows().map(({ topic, feed }) => `${topic} ${feed}`));
  assert.deepEqual(
    rows.filter((row) => !derived.has(row)),
    [],
  );
});

/**
 * Yields the paths of all fields in a message. Indexes, racing numbers and team names become `*`; lists add `path[]`.
 */
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

/** Yields the paths of a schema in the same form, without the marks `_kf` and `_deleted`. */
function* fieldsOf(schema: Schema, path: string): Generator<string> {
  yield path;
  const forms = schema.anyOf ?? [];
  if (forms.some(({ items }) => items) && forms.some(({ patternProperties }) => patternProperties)) {
    yield* [`${path}[]`, `${path}{}`];
  }
  // A collection by racing number may also contain the marks, which are no fields.
  const isMarked = forms.some(({ type }) => type === 'boolean');
  for (const form of forms) if (!isMarked || form.properties !== undefined) yield* fieldsOf(form, path);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (name === '_kf' || name === '_deleted') continue;
    yield* fieldsOf(field, `${path}.${/^\d+$/.test(name) ? '*' : name}`);
  }
  for (const field of Object.values(schema.patternProperties ?? {})) yield* fieldsOf(field, `${path}.*`);
  if (schema.items !== undefined) yield* fieldsOf(schema.items, `${path}.*`);
}

test('every field of every topic that is read occurs, and every collection comes as a list and in parts', () => {
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

/** Yields the paths of all fields in a payload, and their words: `events.race.data.cause=gap`. */
function* valuesIn(value: unknown, path: string): Generator<string> {
  yield path;
  if (typeof value === 'string' || typeof value === 'boolean') yield `${path}=${value}`;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* valuesIn(part, Array.isArray(value) ? path : `${path}.${key}`);
}

/** Yields the paths and words that the schema allows, in the same form. */
function* valuesOf({ anyOf = [], properties = {}, items, enum: words = [] }: Schema, path: string): Generator<string> {
  yield path;
  for (const word of words) if (word !== null) yield `${path}=${word}`;
  for (const form of anyOf) yield* valuesOf(form, path);
  for (const [name, part] of Object.entries(properties)) yield* valuesOf(part, `${path}.${name}`);
  if (items !== undefined) yield* valuesOf(items, path);
}

/**
 * Impossible fields: a lap where laps are not counted, and a gap in laps between best times or in the top three. The
 * weekend has no sprint qualifying. Updates are no snapshots (test/contract/snapshots.test.ts), and each
 * model has one maturity (test/racing/maturity.test.ts).
 */
const NEVER =
  /sessionType=Sprint Qualifying$|^(session\.info|analytics\.qualifying)\.lap$|(gapToFastest|qualifyingParts\.gapToAhead)\.(lapsBehind|leaderLap)$|^timing\.top-three\..*lapsBehind$|^karting\..*leaderLap$|\.snapshot$|^analytics\.[a-z-]+\.maturity=/;

test('every field of every payload occurs, and every word that its schema allows', () => {
  const derived = new Set<string>();
  for (const { timeline } of GOLDEN_SESSIONS) {
    for (const payload of payloadsOf(timeline)) for (const path of valuesIn(payload, payload.feed)) derived.add(path);
  }
  const all = FEEDS.flatMap(({ feedId }) => [...valuesOf(PAYLOAD_SCHEMAS[feedId] as Schema, feedId)]);
  assert.deepEqual(
    [...new Set(all)].filter((path) => !derived.has(path) && !NEVER.test(path)),
    [],
  );
});
