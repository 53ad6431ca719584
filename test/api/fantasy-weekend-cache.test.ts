import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WeekendCache } from '#api/fantasy/weekend-cache.ts';
import type { NamedWeekend } from '#engine/seasons/history/history-store.ts';

/** A history that records which weekends are read. Each weekend is named after the digest. */
function storeOf(digest: string | null) {
  const reads: string[] = [];
  return {
    reads,
    known: digest,
    async digest() {
      return this.known;
    },
    async weekend(eventId: string): Promise<NamedWeekend | null> {
      reads.push(eventId);
      return eventId === 'none' ? null : ({ weekend: { name: this.known } } as NamedWeekend);
    },
  };
}

test('each weekend is read once, even a missing one, until the history changes', async () => {
  const store = storeOf('a');
  const weekends = new WeekendCache(store);
  for (const eventId of ['2026-miami', 'none', '2026-miami', 'none']) await weekends.of(eventId);
  assert.deepEqual(store.reads, ['2026-miami', 'none']);
  store.known = 'b';
  assert.equal((await weekends.of('2026-miami'))!.weekend.name, 'b');
});

test('without a history no weekend is read', async () => {
  const store = storeOf(null);
  assert.equal(await new WeekendCache(store).of('2026-miami'), null);
  assert.deepEqual(store.reads, []);
});

test('a weekend read while the history changed is not cached under the old digest', async () => {
  const store = storeOf('a');
  const weekends = new WeekendCache(store);
  const asked = weekends.of('2026-miami');
  store.known = 'b';
  await asked;
  store.known = 'a';
  assert.equal((await weekends.of('2026-miami'))!.weekend.name, 'a');
});
