import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOG_FOLD_AFTER_MS, LOG_FOLD_ATTEMPTS, LOG_FOLD_BEHIND_MS, LOG_FOLD_LOOK_MS } from '#engine/base/limits.ts';
import { JournalKeeper } from '#engine/delivery/delivery-log/journal-keeper.ts';
import type { JournalBacklog } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const EMPTY = { rows: 0, attempts: 0, ageMs: 0 };

/** A keeper of a journal that is in these states, one at each look, then empty. */
function keeperOf(states: (JournalBacklog | Error)[], fold: () => Promise<null | object> = async () => ({})) {
  const clock = new SimulatedTime();
  const said: string[] = [];
  const say = (_: object, text: string): void => void said.push(text);
  let folds = 0;
  const keeper = new JournalKeeper({
    async backlog() {
      const state = states.shift() ?? EMPTY;
      if (state instanceof Error) throw state;
      return state;
    },
    async fold() {
      folds++;
      return (await fold()) === null ? null : { rows: 1, attempts: 1, pages: 1 };
    },
    clock,
    log: { info: say, warn: say, error: say },
  });
  const look = () => clock.pass(LOG_FOLD_LOOK_MS);
  return { keeper, look, said, folds: () => folds };
}

test('the journal is folded from a number of attempts or an age on, and not before', async () => {
  const young = { rows: 3, attempts: LOG_FOLD_ATTEMPTS - 1, ageMs: LOG_FOLD_AFTER_MS - 1 };
  const many = { ...young, attempts: LOG_FOLD_ATTEMPTS };
  const old = { ...young, ageMs: LOG_FOLD_AFTER_MS };
  const { look, folds, keeper } = keeperOf([young, many, many, young, old, EMPTY]);
  await look();
  assert.equal(folds(), 0);
  await look();
  assert.equal(folds(), 2, 'until nothing is due');
  await look();
  assert.equal(folds(), 3);
  await keeper.close();
  await look();
  assert.equal(folds(), 3);
});

test('a fold that fails is tried again at the next look; that is said once, and so is its end', async () => {
  const due = { rows: 1, attempts: LOG_FOLD_ATTEMPTS, ageMs: 0 };
  let failures = 2;
  const { look, folds, said } = keeperOf([due, due, due, EMPTY], async () => {
    if (failures-- > 0) throw new Error('no database');
    return {};
  });
  for (let looks = 0; looks < 4; looks++) await look();
  assert.equal(folds(), 3);
  assert.deepEqual(said, [
    'cannot fold the journal of the delivery log; trying again. The log is read from the journal meanwhile',
    'the journal of the delivery log is folded again',
  ]);
});

test('what another one has folded is left for the next look', async () => {
  const due = { rows: 1, attempts: LOG_FOLD_ATTEMPTS, ageMs: 0 };
  const { look, folds } = keeperOf([due, due], async () => null);
  await look();
  assert.equal(folds(), 1);
});

test('folding that is behind says so once, and once that it has caught up', async () => {
  const behind = { rows: 700, attempts: 9, ageMs: LOG_FOLD_BEHIND_MS };
  const { look, said } = keeperOf([behind, behind, EMPTY]);
  await look();
  assert.deepEqual(said, [
    'folding the journal of the delivery log is behind',
    'folding the journal of the delivery log has caught up',
  ]);
});
