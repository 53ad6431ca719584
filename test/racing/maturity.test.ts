// The maturity of models: each of their payloads tells it, and docs/models.md says the same with the reason.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { MATURITY, maturityOf } from '#schemas/webhook/maturity.ts';
import { GOLDEN_SESSIONS } from './golden/golden-sessions.ts';

test('every payload of a model tells its maturity, and no other payload has one', () => {
  const told = new Set<string>();
  for (const { timeline } of GOLDEN_SESSIONS) {
    for (let position = 0; position < timeline.length; position++) {
      const feed = timeline.feedId(position);
      const isModel = feed.startsWith('analytics.');
      if (!isModel && told.has(feed)) continue;
      const payload = JSON.parse(Buffer.from(timeline.body(position)).toString());
      assert.equal(payload.maturity, maturityOf(feed), feed);
      told.add(feed);
    }
  }
  for (const feed of Object.keys(MATURITY)) assert.ok(told.has(feed), `no golden session has ${feed}`);
});

test('every analytics feed has a maturity, and docs/models.md names it with a reason', () => {
  const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(analytics\.[a-z-]+)` +\| (\w+) +\| (\S.*\S) +\|$/gm)];
  assert.deepEqual(Object.fromEntries(rows.map(([, feed, maturity]) => [feed, maturity])), MATURITY);
  const models = FEEDS.filter(({ availability }) => availability === 'analytics').map(({ feedId }) => feedId);
  assert.deepEqual(Object.keys(MATURITY).toSorted(), models.toSorted());
});
