// Addresses of the theatre.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { livePath, parseTheatreAddress, replayPath } from '#api/console/app/pages/theatre/replay-address.ts';

const read = (path: string) =>
  parseTheatreAddress(Object.fromEntries(new URL(path, 'https://example.com').searchParams.entries()));

test('an address says what plays, how fast and where to', () => {
  assert.deepEqual(read(replayPath('demo-race', { speed: 5, sinks: 'both' })), {
    kind: 'replay',
    speed: 5,
    sinks: 'both',
  });
  assert.deepEqual(read(livePath('demo-race')), { kind: 'live' });
});

test('an address that says nothing, or nonsense, watches only', () => {
  const watch = { kind: 'replay', speed: 10, sinks: 'visual' };
  assert.deepEqual(read('/console/replay/demo-race'), watch);
  assert.deepEqual(read('/console/replay/demo-race?speed=9000&sinks=webhook'), watch);
  assert.deepEqual(read('/console/replay/demo-race?speed=x'), watch);
});
