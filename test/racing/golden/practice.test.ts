// The golden practice: best laps in a session without parts, and a driver who takes over another's car.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentAt, derived, eventRows } from './derived-payloads.ts';
import { PRACTICE } from './golden-sessions.ts';
import { EVENTS, PAYLOADS } from './practice-expected.ts';

test('practice has exactly these events, at these times and about these drivers', () => {
  assert.deepEqual(eventRows(PRACTICE), EVENTS.split('\n'));
});

for (const { feed, seconds, content } of PAYLOADS) {
  test(`${feed} at ${seconds} s has all that changed, and nothing else`, () => {
    assert.deepEqual(contentAt(PRACTICE, feed, seconds), content);
  });
}

test('payloads name the new driver from the moment he takes over the car', () => {
  const names = derived(PRACTICE).flatMap(({ drivers = [] }) =>
    drivers.filter(({ number }) => number === '88').map(({ name }) => name),
  );
  assert.deepEqual([...new Set(names)], ['Duarte Costanova', 'Maren Osterlund']);
  assert.ok(names.lastIndexOf('Duarte Costanova') < names.indexOf('Maren Osterlund'));
});

test('the first timed lap is a personal best, too, and a slower lap is not', () => {
  const bests = derived(PRACTICE, 'events.race').filter(({ event }) => event === 'personal_best');
  assert.deepEqual(
    bests.map(({ drivers, data }) => `${drivers[0]!.tla} ${(data.time as { display: string }).display}`),
    ['HOL 1:03.204', 'OST 1:04.871', 'OKE 1:02.995', 'MAR 1:03.310', 'LIN 1:03.122', 'HOL 1:02.508', 'OKE 1:02.611'],
  );
});

test('no model makes updates of practice', () => {
  assert.deepEqual(
    derived(PRACTICE).filter(({ feed }) => feed.startsWith('analytics.')),
    [],
  );
});
