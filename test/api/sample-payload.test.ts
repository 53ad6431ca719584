// The payloads of test deliveries. WRITE_SAMPLES=1 writes them anew, after a change of what is derived.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { samplePayload } from '#api/webhooks/sample-payload.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { GOLDEN_SESSIONS } from '#test/racing/golden/golden-sessions.ts';

const FILE = new URL('../../api/webhooks/sample-payloads.jsonl', import.meta.url);

/** A feed's update of medium size: neither the snapshot of the beginning nor the smallest delta. */
function medium(timeline: Timeline, feedId: string): string | undefined {
  const bodies: string[] = [];
  for (let position = 0; position < timeline.length; position++) {
    if (timeline.feedId(position) === feedId) bodies.push(Buffer.from(timeline.body(position)).toString());
  }
  return bodies.toSorted((a, b) => a.length - b.length)[bodies.length >>> 1];
}

test('the sample of each feed is a real update: of the demo race, or of a scripted session if that has none', () => {
  const demo = deriveTimeline({ sessionId: 'demo-race', seriesId: 'f1' }, demoSessionFrames());
  const wanted = FEEDS.map(({ feedId }) => {
    const body =
      medium(demo, feedId) ?? GOLDEN_SESSIONS.map((session) => medium(session.timeline, feedId)).find(Boolean);
    assert.ok(body, `no session has an update of ${feedId}`);
    return body;
  });
  if (process.env.WRITE_SAMPLES === '1') writeFileSync(FILE, wanted.map((body) => `${body}\n`).join(''));
  const kept = readFileSync(FILE, 'utf8').trim().split('\n');
  const advice = 'run WRITE_SAMPLES=1 node --test test/api/sample-payload.test.ts if the change is wanted';
  for (const [index, body] of wanted.entries()) assert.equal(kept[index], body, advice);
  assert.equal(kept.length, FEEDS.length, advice);
});

test('a test payload fits the schema of its feed, and says that it is a test of this moment', () => {
  const ajv = new Ajv({ strict: false });
  for (const { feedId } of FEEDS) {
    const payload = JSON.parse(Buffer.from(samplePayload(feedId, 1_780_000_000_000)).toString());
    const isValid = ajv.validate(PAYLOAD_SCHEMAS[feedId] as object, payload) as boolean;
    assert.ok(isValid, `${feedId}: ${ajv.errorsText()}`);
    const { feed, sessionId, sequence, utc } = payload;
    assert.deepEqual([feed, sessionId, sequence, utc], [feedId, 'test', 1, '2026-05-28T20:26:40.000Z']);
    assert.deepEqual(Object.keys(payload).slice(0, 5), ['feed', 'seriesId', 'sessionId', 'sequence', 'utc']);
  }
});
