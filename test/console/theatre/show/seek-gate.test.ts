// Which updates belong to the place that a replay was moved to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeekGate } from '#api/console/app/pages/theatre/show/seek-gate.ts';
import { anUpdate } from '../support/an-update.ts';

/** A gate, and the sequences that it has let through. */
function shown(gate: SeekGate, sequences: readonly number[]): number[] {
  return sequences.filter((sequence) => gate.admits(anUpdate('lap.count', {}, sequence)));
}

test('everything is shown while nothing moves', () => {
  assert.deepEqual(shown(new SeekGate(), [1, 2, 5]), [1, 2, 5]);
});

test('after a move forward what comes from behind the place is shown, whenever it comes', () => {
  const gate = new SeekGate();
  shown(gate, [1, 2]);
  gate.close();
  assert.deepEqual(shown(gate, [3, 4, 101, 102]), []);
  assert.deepEqual(
    gate.open(100).map(({ sequence }) => sequence),
    [101, 102],
  );
  assert.deepEqual(shown(gate, [103]), [103]);
});

test('after a move back nothing of the old place is shown, also if it comes after the answer', () => {
  const gate = new SeekGate();
  shown(gate, [500, 501]);
  gate.close();
  assert.deepEqual(shown(gate, [502]), []);
  assert.deepEqual(gate.open(100), []);
  assert.deepEqual(shown(gate, [503, 504, 101, 102]), [101, 102]);
});

test('after a move back what came before the answer waits for it', () => {
  const gate = new SeekGate();
  shown(gate, [500]);
  gate.close();
  assert.equal(gate.isBack(100), true);
  assert.deepEqual(shown(gate, [501, 102, 103]), []);
  assert.equal(gate.isBack(100), true);
  assert.deepEqual(
    gate.open(100).map(({ sequence }) => sequence),
    [102, 103],
  );
});

test('a move that is refused shows what waited', () => {
  const gate = new SeekGate();
  shown(gate, [1]);
  gate.close();
  shown(gate, [2, 3]);
  assert.deepEqual(
    gate.reopen().map(({ sequence }) => sequence),
    [2, 3],
  );
  assert.deepEqual(shown(gate, [4]), [4]);
});

test('a stream that begins anew at a place shows what follows it', () => {
  const gate = new SeekGate();
  shown(gate, [8_000]);
  gate.close();
  gate.begin(100);
  shown(gate, [103, 104]);
  assert.deepEqual(
    gate.open(100).map(({ sequence }) => sequence),
    [103, 104],
  );
});
