// The ids of events: where a stream stands, as text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '#api/http/api-error.ts';
import { formatPlaces, parsePlaces } from '#api/streams/stream-place.ts';
import { STREAM_PLACE_CHARS_MAX, STREAM_SESSIONS_MAX } from '#engine/base/limits.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';

const name = 'Last-Event-ID';

test('places read what they write, with the version of the deriver', () => {
  const sessionId = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,99}$/);
  const place = fc.record({ sessionId, sequence: fc.nat(999_999_999) });
  const places = fc.uniqueArray(place, { maxLength: STREAM_SESSIONS_MAX, selector: (one) => one.sessionId });
  fc.assert(
    fc.property(places, (given) => {
      const text = formatPlaces(given);
      assert.ok(text.length <= STREAM_PLACE_CHARS_MAX);
      const versioned = given.map((one) => ({ ...one, deriverVersion: DERIVER_VERSION }));
      assert.deepEqual(parsePlaces(text, name, 'the id of an event'), versioned);
      assert.equal(
        formatPlaces(versioned.map((one) => ({ ...one, deriverVersion: 1 }))).includes('~1'),
        given.length > 0,
      );
    }),
  );
});

test('a client that has seen nothing, waits for its first session, or has seen everything', () => {
  assert.equal(parsePlaces('', name, 'the id of an event'), null);
  assert.deepEqual(parsePlaces('none', name, 'the id of an event'), []);
  assert.equal(parsePlaces('end', name, 'the id of an event'), 'end');
});

test('a text that is no place is refused by name', () => {
  const many = Array.from({ length: STREAM_SESSIONS_MAX + 1 }, (_, i) => `race-${i}:1~4`).join(',');
  const long = `${'a'.repeat(100)}:1~4,`.repeat(30).slice(0, -1);
  for (const text of [
    '17',
    'race',
    'race:1',
    'race:~4',
    'race:-1~4',
    'race:1.5~4',
    'Race:1~4',
    'race:1~4,',
    ',race:1~4',
    'race:1~4 ,sprint:2~4',
    'race:1234567890~4',
    "race:1~4'; drop table usage",
    'race:1~4,race:2~4',
    'none,race:1~4',
    'undefined',
    'null',
    many,
    long,
  ]) {
    assert.throws(
      () => parsePlaces(text, name, 'the id of an event'),
      (error) => error instanceof ApiError && error.code === 'invalid_query' && error.message.startsWith(name),
      text,
    );
  }
});
