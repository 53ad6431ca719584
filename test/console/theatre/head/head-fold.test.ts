// The head of the theatre over the demo race: flag, laps, clock, weather, messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadFold, isOfSprint, remainingMs } from '#api/console/app/pages/theatre/head/head-fold.ts';
import { theatre as words } from '#api/console/app/text/en/theatre.ts';
import { anUpdate } from '../support/an-update.ts';
import { demoUpdates } from '../support/demo-updates.ts';

const said = (index: number, message: string, atMs: number) =>
  anUpdate('race-control.messages', { data: { index, utc: null, message, category: 'Other' } }, index + 1, atMs);

test('the head of the demo race counts its laps up and ends with its last one', () => {
  const fold = new HeadFold();
  let lap = 0;
  for (const update of demoUpdates()) {
    fold.take(update);
    const now = fold.head.lap?.currentLap ?? 0;
    assert.ok(now >= lap);
    lap = now;
  }
  const { info, status, track } = fold.head;
  assert.deepEqual([lap, fold.head.lap?.totalLaps], [10, 10]);
  assert.deepEqual([info?.type, status, track], ['Race', 'ends', 'clear']);
  assert.equal(fold.messages.length, 19);
});

test('the parts of sprint qualifying are SQ1 to SQ3, under each of its names; those of qualifying Q1 to Q3', () => {
  const fold = new HeadFold();
  const partOf = (name: string): string => {
    fold.take(anUpdate('session.info', { data: { type: 'Qualifying', name } }));
    fold.take(anUpdate('timing.data', { session: { part: 1 }, drivers: [] }));
    return words.head.part(fold.head.part!, isOfSprint(fold.head.info));
  };
  assert.deepEqual(['Sprint Qualifying', 'Sprint Shootout', 'Qualifying'].map(partOf), ['SQ1', 'SQ1', 'Q1']);
});

test('the newest message is the first, and a correction keeps its place', () => {
  const fold = new HeadFold();
  for (const update of [said(0, 'ONE', 1), said(1, 'TWO', 2), said(0, 'ONE, CORRECTED', 3)]) fold.take(update);
  assert.deepEqual(
    fold.messages.map(({ message }) => message),
    ['TWO', 'ONE, CORRECTED'],
  );
});

test('a move back keeps what race control had said by then', () => {
  const fold = new HeadFold();
  fold.take(said(0, 'ONE', 1_000));
  fold.take(said(1, 'TWO', 2_000));
  fold.rewind(1_500);
  assert.deepEqual(
    fold.messages.map(({ message }) => message),
    ['ONE'],
  );
});

test('messages are bounded: the oldest go', () => {
  const fold = new HeadFold();
  for (let index = 0; index < 1_000; index++) fold.take(said(index, String(index), index));
  assert.equal(fold.messages.length, 200);
  assert.equal(fold.messages[0]!.message, '999');
});

test('the clock of the session runs on between its updates, and stands while it does not run', () => {
  const at = Date.parse('2026-03-01T14:00:00.000Z');
  const clock = { utc: '2026-03-01T14:00:00.000Z', remaining: { display: '00:10:00', ms: 600_000 }, running: true };
  assert.equal(remainingMs(clock, at + 60_000), 540_000);
  assert.equal(remainingMs(clock, at + 700_000), 0);
  assert.equal(remainingMs({ ...clock, running: false }, at + 60_000), 600_000);
  assert.equal(remainingMs(null, at), null);
  assert.equal(remainingMs({ ...clock, remaining: null }, at), null);
});
