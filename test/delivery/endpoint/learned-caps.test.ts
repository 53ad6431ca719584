import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IN_FLIGHT_START } from '#engine/delivery/endpoint/in-flight-cap.ts';
import { LearnedCaps } from '#engine/delivery/endpoint/learned-caps.ts';
import { endpoint, GOOD } from '#test/support/shard-endpoints.ts';

test('a cap starts with what was learned of the same endpoint at the same URL, and of no other', () => {
  const caps = new LearnedCaps();
  const settings = endpoint('a', GOOD);
  const cap = caps.capOf(settings);
  for (let i = 0; i < 100; i++) cap.succeeded(100, 100, true, 0);
  cap.started(30);
  caps.keep(settings.webhookId, settings.url, cap);
  assert.equal(caps.capOf(settings).value, 30);
  assert.equal(caps.capOf(endpoint('b', GOOD)).value, IN_FLIGHT_START);
  assert.equal(caps.capOf(endpoint('a', 'https://elsewhere.example')).value, IN_FLIGHT_START);
});

test('a cap that has learned nothing does not replace one that has', () => {
  const caps = new LearnedCaps();
  const settings = endpoint('a', GOOD);
  const cap = caps.capOf(settings);
  cap.started(30);
  for (let i = 0; i < 100; i++) cap.succeeded(100, 100, true, 0);
  caps.keep(settings.webhookId, settings.url, cap);
  caps.keep(settings.webhookId, settings.url, caps.capOf(settings));
  assert.equal(caps.capOf(settings).value, 30);
});
