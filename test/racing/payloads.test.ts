// Every payload of every golden session and recording is valid, serialised without loss, and the same each time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { KNOWN_SERIES, seriesOf } from '#engine/racing/series/known-series.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { type SerialisePayload, TimelineBuilder, type TimelineHead } from '#engine/timeline/timeline-builder.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS, serialisePayload } from '#schemas/webhook/payloads.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { GOLDEN_SESSIONS, GoldenSession } from './golden/golden-sessions.ts';
import { ALL_SESSIONS, DUMPED_SESSIONS, FURTHER_SESSIONS, recorded } from './real-sessions.ts';
import { topicSamples } from './topic-samples.ts';

const ajv = new Ajv({ allowUnionTypes: true, strict: true });
const validators = new Map(FEEDS.map(({ feedId }) => [feedId as string, ajv.compile(PAYLOAD_SCHEMAS[feedId])]));

test('every feed except race events and analytics has a row with its topic', () => {
  const fed = new Set<string>();
  for (const { seriesId, feedRows } of KNOWN_SERIES) {
    for (const { feed } of feedRows()) {
      assert.equal(FEEDS.find(({ feedId }) => feedId === feed)?.seriesId, seriesId, feed);
      fed.add(feed);
    }
  }
  const unfed = FEEDS.map(({ feedId }) => feedId).filter(
    (feedId) => !fed.has(feedId) && !feedId.startsWith('analytics.'),
  );
  assert.deepEqual(unfed, ['events.race']);
});

test('every property of every payload has a description or a self-explanatory name', () => {
  const SPEAKING =
    /^(drivers|teams|data|session|driver|event)$|Name$|^(message|reference|headshotUrl|retired|showPosition)$/;
  const bare: string[] = [];
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties } = schema as { readonly properties?: Readonly<Record<string, Record<string, unknown>>> };
    for (const [name, property] of Object.entries(properties ?? {})) {
      const isPart = property.properties !== undefined || property.const !== undefined;
      if (property.description === undefined && !isPart && !SPEAKING.test(name)) bare.push(`${path}.${name}`);
    }
    for (const [key, value] of Object.entries(schema)) walk(value, `${path}/${key}`);
  };
  for (const { feedId } of FEEDS) walk(PAYLOAD_SCHEMAS[feedId], feedId);
  assert.deepEqual(bare, []);
});

test('every feed has a schema that names all its fields and allows no others', () => {
  const open: string[] = [];
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties, additionalProperties } = schema as Record<string, unknown>;
    if (properties !== undefined && additionalProperties !== false) open.push(path);
    for (const [key, value] of Object.entries(schema)) walk(value, `${path}/${key}`);
  };
  for (const { feedId } of FEEDS) walk(PAYLOAD_SCHEMAS[feedId], feedId);
  assert.deepEqual(open, []);
});

test('a feed that is not in the catalogue has no serialiser', () => {
  assert.throws(() => serialisePayload('timing.nothing', {}), TypeError);
  assert.throws(() => serialisePayload('constructor', {}), TypeError);
});

/** Topics that make no update, by recording: this one begins late, and its first three never change, so no message names them. */
const SILENT: Readonly<Record<string, readonly string[]>> = { '2025-saopaulo-sprint': ['TopThree'] };

for (const session of [...GOLDEN_SESSIONS, ...recorded(...ALL_SESSIONS, ...DUMPED_SESSIONS, ...FURTHER_SESSIONS)]) {
  test(`I7: every payload of ${session.sessionId} is valid, without loss, and the same bytes each time`, () => {
    const first = check(session.head, session.frames, SILENT[session.sessionId]);
    const isReal = !(session instanceof GoldenSession);
    assert.ok(first.length > (isReal ? 1_000 : 20), `${first.length}`);
    const second = session.timeline;
    assert.deepEqual(second.info, first.info);
    for (const [name, column] of Object.entries(first.columns)) {
      const other = second.columns[name as keyof typeof second.columns];
      assert.equal(Buffer.compare(bytesOf(column), bytesOf(other)), 0, name);
    }
  });
}

test('time stamps with fractions of a millisecond make valid payloads, too', () => {
  for (const { head, frames } of GOLDEN_SESSIONS) {
    check(
      head,
      frames.map((frame, index) => ({ ...frame, utcMs: frame.utcMs + ((index * 1_237) % 10_000) / 10_000 })),
    );
  }
});

if (WITHOUT_RECORDINGS === false) {
  test('topics that no complete recording has: every payload is valid and serialised without loss', () => {
    assert.ok(check({ sessionId: 's', seriesId: 'f1' }, topicSamples()).length > 80);
  });
}

/** Derives a session, checks every payload, and checks that every topic made some, but those that are `silent`. */
function check(head: TimelineHead, frames: readonly Frame[], silent: readonly string[] = []): Timeline {
  const feeds = new Set<string>();
  const checked: SerialisePayload = (feed, payload) => {
    feeds.add(feed);
    const validate = validators.get(feed)!;
    if (!validate(payload)) assert.fail(`${feed}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(payload)}`);
    const text = serialisePayload(feed, payload);
    const plain = JSON.stringify(payload);
    if (text.length !== plain.length || !isDeepStrictEqual(JSON.parse(text), JSON.parse(plain))) {
      assert.equal(text, plain, 'the serialiser lost or changed a field');
    }
    return text;
  };
  const builder = new TimelineBuilder(head, checked);
  const series = seriesOf(head.seriesId);
  const deriver = new SessionDeriver(builder, series);
  for (const frame of frames) assert.equal(deriver.apply(frame) ?? deriver.analyse(), null);
  const told = new Set(series.feedRows().flatMap(({ topic, feed }) => (feeds.has(feed) ? [topic] : [])));
  const untold = series
    .feedRows()
    .flatMap(({ topic }) => (!told.has(topic) && frames.some((frame) => frame.topic === topic) ? [topic] : []));
  assert.deepEqual(untold, silent);
  assert.equal(feeds.has('events.race'), series === F1);
  return builder.build(frames.length, frames.at(-1)!.utcMs);
}

function bytesOf(column: Uint8Array | Uint32Array): Buffer {
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
}
