// Updates of the demo race that documents show: they are what the demo race sends, also when a derivation has changed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { GoldenSession } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf } from '#test/racing/real-sessions.ts';
import { documentPaths, read } from './documents.ts';

/** The beginning of an update, whole or abridged. */
const BEGINNING =
  /\{"feed":"([\w.-]+)",(?:"snapshot":true,)?"seriesId":"f1","sessionId":"demo-race","sequence":(\d+),/g;
/** Whole updates: indented blocks of their own. */
const WHOLE = /(?<=\n\n) {4}(\{"feed":.*?\})\n\n/gs;
const LENGTH = / {4}content-length: (\d+)\n\n {4}(\{.*\})\n/g;

test('updates of the demo race in the documents are those of today', () => {
  const updates = payloadsOf(new GoldenSession(DEMO_SESSION_ID, 'f1', demoSessionFrames).timeline);
  let [begun, whole] = [0, 0];
  for (const path of documentPaths().filter((path) => !path.startsWith('docs/decisions/'))) {
    const text = read(path);
    for (const [, feed, sequence] of text.matchAll(BEGINNING)) {
      begun++;
      assert.equal(updates[Number(sequence) - 1]?.feed, feed, `${path}: sequence ${sequence}`);
    }
    for (const [, body] of text.matchAll(WHOLE)) {
      const { snapshot, ...shown } = JSON.parse(body!);
      whole++;
      assert.deepEqual(shown, updates[shown.sequence - 1], `${path}: sequence ${shown.sequence}`);
    }
    for (const [, length, body] of text.matchAll(LENGTH)) assert.equal(Number(length), Buffer.byteLength(body!), path);
  }
  assert.ok(begun >= 7 && whole >= 4, `${begun}, ${whole} found`);
});
