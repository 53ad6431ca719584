// The time line over the demo race: stretches of flags, and moments.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeLineFold } from '#api/console/app/pages/theatre/head/time-line-fold.ts';
import { anUpdate } from '../support/an-update.ts';
import { demoUpdates } from '../support/demo-updates.ts';

const flag = (status: string, atMs: number) => anUpdate('track.status', { data: { status, code: null } }, atMs, atMs);

test('the flags of the demo race follow each other without gap or overlap, to its last update', () => {
  const fold = new TimeLineFold();
  for (const update of demoUpdates()) fold.take(update);
  const { stretches } = fold;
  assert.deepEqual(
    stretches.map(({ status }) => status),
    ['clear', 'yellow', 'clear', 'yellow', 'safety_car', 'clear', 'yellow', 'clear'],
  );
  stretches.forEach(({ fromMs, toMs }, index) => {
    assert.ok(toMs > fromMs);
    assert.equal(toMs, stretches[index + 1]?.fromMs ?? demoUpdates().at(-1)!.atMs);
  });
});

test('the moments of the demo race come in order and each once, also when it is watched twice', () => {
  const fold = new TimeLineFold();
  for (const update of demoUpdates()) fold.take(update);
  const { moments } = fold;
  fold.rewind();
  for (const update of demoUpdates()) fold.take(update);
  assert.deepEqual(fold.moments, moments);
  assert.equal(new Set(moments.map(({ sequence }) => sequence)).size, moments.length);
  const kinds = new Set(moments.map(({ kind }) => kind));
  for (const kind of ['session_start', 'lead_change', 'safety_car_deployed', 'chequered_flag'] as const)
    assert.ok(kinds.has(kind), kind);
});

test('a change that two feeds report is one', () => {
  const fold = new TimeLineFold();
  const series = { index: 0, utc: new Date(10_400).toISOString(), trackStatus: 'yellow' };
  fold.take(flag('clear', 1_000));
  fold.take(flag('yellow', 10_000));
  fold.take(anUpdate('session.data', { data: { series: [], statusSeries: [series] } }, 3, 20_000));
  assert.deepEqual(fold.stretches, [
    { status: 'clear', fromMs: 1_000, toMs: 10_000 },
    { status: 'yellow', fromMs: 10_000, toMs: 20_000 },
  ]);
});

test('what a state says of earlier flags fills the line of a show that was joined in the middle', () => {
  const fold = new TimeLineFold();
  fold.take(flag('clear', 60_000));
  const statusSeries = [
    { index: 0, utc: new Date(10_000).toISOString(), trackStatus: 'clear' },
    { index: 1, utc: new Date(30_000).toISOString(), trackStatus: 'red' },
    { index: 2, utc: new Date(60_400).toISOString(), trackStatus: 'clear' },
  ];
  fold.take(anUpdate('session.data', { data: { series: [], statusSeries } }, 3, 90_000));
  assert.deepEqual(
    fold.stretches.map(({ status, fromMs }) => [status, fromMs]),
    [
      ['clear', 10_000],
      ['red', 30_000],
      ['clear', 60_400],
    ],
  );
});
