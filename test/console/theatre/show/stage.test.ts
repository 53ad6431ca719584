// When folds take updates, and when they are drawn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stage } from '#api/console/app/pages/theatre/show/stage.ts';
import type { Fold } from '#api/console/app/pages/theatre/show/updates.ts';
import { anUpdate } from '../support/an-update.ts';

function scene() {
  const draws: (() => void)[] = [];
  const log: string[] = [];
  const forgetful: Fold = { reset: () => log.push('reset'), take: ({ sequence }) => log.push(`take ${sequence}`) };
  const keeping: Fold = { reset: () => {}, take: () => {}, rewind: (toMs) => log.push(`rewind ${toMs}`) };
  const stage = new Stage('some-race', [forgetful, keeping], { value: 0 }, (draw) => draws.push(draw));
  return { stage, log, draws };
}

test('updates are folded at once and drawn once for each frame', () => {
  const { stage, log, draws } = scene();
  for (const sequence of [1, 2, 3]) stage.take(anUpdate('lap.count', {}, sequence));
  assert.deepEqual(log, ['reset', 'take 1', 'take 2', 'take 3']);
  assert.equal(stage.frame.value, 0);
  assert.equal(draws.length, 1);
  draws.shift()!();
  assert.equal(stage.frame.value, 1);
  stage.take(anUpdate('lap.count', {}, 4));
  assert.equal(draws.length, 1);
});

test('a move back resets what cannot keep what was before', () => {
  const { stage, log } = scene();
  stage.take(anUpdate('lap.count', {}, 1, 60_000));
  stage.rewind(30_000);
  assert.deepEqual(log.slice(2), ['reset', 'rewind 30000']);
  assert.equal(stage.atMs, 30_000);
});

test('the states of a place are taken like updates', () => {
  const { stage, log } = scene();
  const utc = '2026-03-01T14:00:00.000Z';
  stage.takeStates([{ feed: 'lap.count', sessionId: 'some-race', sequence: 7, utc }]);
  assert.deepEqual(log, ['reset', 'take 7']);
  assert.equal(stage.atMs, Date.parse(utc));
});
