// The golden practice: best laps without parts, and a driver who has taken another's car over.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRACTICE } from './golden-sessions.ts';
import { EVENTS, PAYLOADS } from './practice-told.ts';
import { contentAt, eventRows, told } from './told.ts';

test('practice tells these events: when, what, of whom', () => {
  assert.deepEqual(eventRows(PRACTICE), EVENTS.split('\n'));
});

for (const { feed, seconds, content } of PAYLOADS) {
  test(`${feed} at ${seconds} s tells all that changed, and nothing else`, () => {
    assert.deepEqual(contentAt(PRACTICE, feed, seconds), content);
  });
}

test('who sits in the car is who is told of from then on', () => {
  const names = told(PRACTICE).flatMap(({ drivers = [] }) =>
    drivers.filter(({ number }) => number === '88').map(({ name }) => name),
  );
  assert.deepEqual([...new Set(names)], ['Duarte Costanova', 'Maren Osterlund']);
  assert.ok(names.lastIndexOf('Duarte Costanova') < names.indexOf('Maren Osterlund'));
});

test('personal bests are told of the first lap too, and not of a slower one', () => {
  const bests = told(PRACTICE, 'events.race').filter(({ event }) => event === 'personal_best');
  assert.deepEqual(
    bests.map(({ drivers, data }) => `${drivers[0]!.tla} ${(data.time as { display: string }).display}`),
    ['HOL 1:03.204', 'OST 1:04.871', 'OKE 1:02.995', 'MAR 1:03.310', 'LIN 1:03.122', 'HOL 1:02.508', 'OKE 1:02.611'],
  );
});

test('no model speaks of practice', () => {
  assert.deepEqual(
    told(PRACTICE).filter(({ feed }) => feed.startsWith('analytics.')),
    [],
  );
});
