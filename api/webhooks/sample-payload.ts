// The payload of a test: a real update of the feed, so that a receiver reads what it will read in a session. Most are of
// the demo race; feeds that it does not have are of the invented weekend that the tests play. The session id says that
// it is a test, so a receiver that overlooks the mode mixes nothing up.

import { readFileSync } from 'node:fs';
import { assert } from '#engine/base/assert.ts';

export const TEST_SESSION_ID = 'test';
/** A test is the only update of its session. */
const SEQUENCE = 1;

type Payload = Readonly<Record<string, unknown>>;

const SAMPLES: ReadonlyMap<string, Payload> = new Map(
  readFileSync(new URL('sample-payloads.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Payload)
    .map((payload) => [String(payload.feed), payload]),
);

/** A real update of the feed, as it was in its session. */
export function realPayload(feedId: string): Payload {
  const sample = SAMPLES.get(feedId);
  assert(sample !== undefined, `${feedId} has a sample`);
  return sample;
}

/** `wallMs` is Unix time. */
export function samplePayload(feedId: string, wallMs: number): Uint8Array {
  const sample = realPayload(feedId);
  // Members that are replaced keep their places, so the order is that of the feed.
  const utc = new Date(wallMs).toISOString();
  return Buffer.from(JSON.stringify({ ...sample, sessionId: TEST_SESSION_ID, sequence: SEQUENCE, utc }));
}
