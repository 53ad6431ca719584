// Every update of every recording: valid by its schema, serialised without loss, and the same each time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import { SessionDeriver } from '#engine/session/derive.ts';
import { describeSession } from '#engine/session/describe-session.ts';
import { type SerialisePayload, TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS, serialisePayload } from '#schemas/webhook/payloads.ts';
import { ALL_SESSIONS, framesOf, timelineOf, WITHOUT_RECORDINGS } from '#test/session/real-sessions.ts';

const SKIP = { skip: WITHOUT_RECORDINGS };

const ajv = new Ajv({ allowUnionTypes: true, strict: true });
const validators = new Map(FEEDS.map(({ feedId }) => [feedId as string, ajv.compile(PAYLOAD_SCHEMAS[feedId])]));

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

for (const session of ALL_SESSIONS) {
  test(`${session}: every payload is valid, and its bytes say what the payload says`, SKIP, () => {
    const frames = framesOf(session);
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
    const builder = new TimelineBuilder(describeSession(frames), checked);
    const deriver = new SessionDeriver(builder);
    for (const frame of frames) deriver.apply(frame);
    assert.ok(builder.length > 1000);
    assert.ok(feeds.has('events.race') && feeds.has('race-control.messages') && feeds.has('tire.stints'));
  });

  test(`I7: ${session} derived twice gives the same bytes`, SKIP, () => {
    const first = timelineOf(session);
    const second = timelineOf(session);
    assert.deepEqual(second.info, first.info);
    for (const [name, column] of Object.entries(first.columns)) {
      const other = second.columns[name as keyof typeof second.columns];
      assert.equal(Buffer.compare(bytesOf(column), bytesOf(other)), 0, name);
    }
  });
}

function bytesOf(column: Uint8Array | Uint32Array): Buffer {
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
}
