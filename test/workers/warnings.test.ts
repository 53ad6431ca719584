// Warnings and errors that threads log, as the operators' page shows them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WARNING_CHARS_MAX, WARNINGS_KEPT_MAX } from '#engine/base/limits.ts';
import { until } from '#test/support/api-harness.ts';
import { createLog } from '#workers/log.ts';
import { hearWarnings, shownWarning, WarningLog } from '#workers/warnings.ts';

const AT = '2026-06-01T12:00:00.000Z';
const line = (fields: object): string => JSON.stringify({ level: 40, time: AT, msg: 'slow', ...fields });

test('a line says its thread, and its details without stacks', () => {
  assert.deepEqual(shownWarning(line({ shard: 3, waited: 12, err: { type: 'E', message: 'away', stack: 'at x' } })), {
    at: AT,
    level: 'warning',
    from: 'shard-3',
    text: 'slow',
    details: 'waited: 12, err: away',
  });
  assert.equal(shownWarning(line({ level: 50, thread: 'live' })).from, 'live');
  assert.equal(shownWarning(line({ level: 50 })).level, 'error');
  assert.equal(shownWarning(line({ level: 60 })).level, 'fatal');
  assert.equal(shownWarning(line({})).from, 'main');
});

test('texts are bounded', () => {
  const { text, details } = shownWarning(line({ msg: 'x'.repeat(10_000), more: 'y'.repeat(10_000) }));
  assert.deepEqual([text.length, details.length], [WARNING_CHARS_MAX, WARNING_CHARS_MAX]);
});

test('the latest are kept, and all are counted', () => {
  const log = new WarningLog();
  const followed: string[] = [];
  log.follow(({ text }) => followed.push(text));
  for (let no = 0; no < WARNINGS_KEPT_MAX + 3; no++) log.add(shownWarning(line({ msg: `no ${no}` })));
  assert.deepEqual([log.latest.length, log.count], [WARNINGS_KEPT_MAX, WARNINGS_KEPT_MAX + 3]);
  assert.deepEqual([log.latest[0]!.text, log.latest.at(-1)!.text], ['no 3', `no ${WARNINGS_KEPT_MAX + 2}`]);
  assert.equal(followed.length, WARNINGS_KEPT_MAX + 3);
});

test('who listens hears of the warnings and errors that a thread logs, of nothing else', async () => {
  const heard: string[] = [];
  hearWarnings(({ from, text }) => heard.push(`${from}: ${text}`));
  const log = createLog('debug', { shard: 1 });
  log.debug({}, 'nothing');
  log.info({}, 'usual');
  log.warn({}, 'odd');
  log.error({}, 'wrong');
  await until(() => heard.length >= 2);
  assert.deepEqual(heard, ['shard-1: odd', 'shard-1: wrong']);
});
