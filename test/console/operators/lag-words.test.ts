// What the plots of the operators' page show, for those who cannot see them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measured, wordsOf } from '#api/console/app/operators/lag-words.ts';
import { HISTORY_COLUMNS, type HistoryColumn, type OperatorsHistory } from '#schemas/http/operators.ts';

function history(measurements: Partial<Record<HistoryColumn, (number | null)[]>>): OperatorsHistory {
  const columns = Object.fromEntries(HISTORY_COLUMNS.map((name) => [name, measurements[name] ?? [null, null, null]]));
  return { everyMs: 10_000, at: [1, 2, 3], columns: columns as unknown as OperatorsHistory['columns'] };
}

const LAG = ['liveLagP50', 'replayLagP50'] as const;

test('each line that has something is told by its last and its highest value', () => {
  const some = history({ replayLagP50: [30, 12, null] });
  assert.deepEqual(measured(some, LAG), ['replayLagP50']);
  assert.equal(wordsOf(some, 'Lag', LAG), 'Lag: replays p50 last 12 ms, at most 30 ms.');
});

test('an hour without deliveries is told as that', () => {
  assert.equal(wordsOf(history({}), 'Lag', LAG), 'Nothing was delivered in the last hour.');
});
