import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugOf } from '#engine/racing/slug.ts';
import { gapOf, lapTimeOf } from '#engine/racing/timing-text.ts';

test('lap and sector times have milliseconds', () => {
  assert.deepEqual(lapTimeOf('1:45.149'), { display: '1:45.149', ms: 105_149 });
  assert.deepEqual(lapTimeOf('26.111'), { display: '26.111', ms: 26_111 });
  assert.deepEqual(lapTimeOf('65.2'), { display: '65.2', ms: 65_200 });
  assert.deepEqual(lapTimeOf('1:02:03.004'), { display: '1:02:03.004', ms: 3_723_004 });
});

test('a cleared or missing time is null, and a text that is no time has no milliseconds', () => {
  for (const value of ['', null, undefined, 12, {}]) assert.equal(lapTimeOf(value), null);
  assert.deepEqual(lapTimeOf('STOP'), { display: 'STOP', ms: null });
});

test('gaps have seconds', () => {
  assert.deepEqual(gapOf('+1.234'), { display: '+1.234', seconds: 1.234 });
  assert.deepEqual(gapOf('+1:09.473'), { display: '+1:09.473', seconds: 69.473 });
  assert.equal(gapOf(''), null);
});

test('the leader is 0 seconds behind and has a lap, in the gap and in the interval', () => {
  assert.deepEqual(gapOf('LAP 27'), { display: 'LAP 27', seconds: 0, leaderLap: 27 });
});

test('a lapped car has laps instead of seconds, with and without a space', () => {
  assert.deepEqual(gapOf('31L'), { display: '31L', seconds: null, lapsBehind: 31 });
  assert.deepEqual(gapOf('1 L'), { display: '1 L', seconds: null, lapsBehind: 1 });
});

test('a gap of another kind keeps its display', () => {
  assert.deepEqual(gapOf('OUT'), { display: 'OUT', seconds: null });
});

test('slugs are lower-case ASCII', () => {
  assert.equal(slugOf('Max Verstappen'), 'max-verstappen');
  assert.equal(slugOf('Kimi Räikkönen'), 'kimi-raikkonen');
  assert.equal(slugOf("Pato O'Ward"), 'pato-oward');
  assert.equal(slugOf('  São Paulo / Søren  '), 'sao-paulo-soren');
});
