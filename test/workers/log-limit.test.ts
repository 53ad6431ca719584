// Recurring problems must not flood the log.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LOG_KINDS_MAX, LOG_LINES_PER_MINUTE_MAX, LOG_PROBLEMS_PER_MINUTE_MAX } from '#engine/base/limits.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { LogLimit } from '#workers/log-limit.ts';

const INFO = 30;
const ERROR = 50;

function setUp() {
  const time = new SimulatedTime();
  const limit = new LogLimit(time, (delayMs, callback) => void time.schedule(delayMs, callback));
  const lines: string[] = [];
  const log = (message: string, level = ERROR): void => {
    if (limit.admits(level, message, (text) => lines.push(text))) lines.push(message);
  };
  return { time, limit, lines, log };
}

test('a recurring problem is logged a few times a minute, then counted', async () => {
  const { time, lines, log } = setUp();
  for (let no = 0; no < 500; no++) log(`group commit failed, next try in ${no} ms`);
  assert.equal(lines.length, LOG_PROBLEMS_PER_MINUTE_MAX);
  await time.pass(60_000);
  const more = 500 - LOG_PROBLEMS_PER_MINUTE_MAX;
  assert.equal(lines.at(-1), `group commit failed, next try in 499 ms: and ${more} more like it within 60 s`);
  log('group commit failed, next try in 1 ms');
  assert.equal(lines.length, LOG_PROBLEMS_PER_MINUTE_MAX + 2, 'a new minute begins with lines again');
  await time.pass(120_000);
  assert.equal(lines.length, LOG_PROBLEMS_PER_MINUTE_MAX + 2, 'nothing was kept back in it');
});

test('it does not suppress other problems, nor lines below warnings', () => {
  const { lines, log } = setUp();
  for (let no = 0; no < 100; no++) log('actor of wh_1 in run_2 failed');
  log('shard 1 died; restarting it');
  for (let no = 0; no < LOG_LINES_PER_MINUTE_MAX + 5; no++) log('answered', INFO);
  assert.equal(lines.filter((line) => line === 'answered').length, LOG_LINES_PER_MINUTE_MAX);
  assert.ok(lines.includes('shard 1 died; restarting it'));
});

test('I2: kinds of lines are distinguished up to a bound; all others share one kind', () => {
  const { limit, lines, log } = setUp();
  for (let kind = 0; kind < 10 * LOG_KINDS_MAX; kind++) {
    log([...String(kind)].map((digit) => 'abcdefghij'[Number(digit)]).join(''));
  }
  assert.equal(lines.length, LOG_KINDS_MAX + LOG_PROBLEMS_PER_MINUTE_MAX);
  limit.end();
  assert.match(lines.at(-1)!, /and 890 more like it/);
});

test('the log of the process is limited and reports its counts at the end; debug lines are not limited', async () => {
  const log = new URL('../../workers/log.ts', import.meta.url);
  const script = `import { createLog } from '${log}';
    const log = createLog('debug', { shard: 1 });
    for (let no = 0; no < 100; no++) log.error({ err: new Error('away') }, 'commit ' + no + ' failed');
    for (let no = 0; no < 100; no++) log.debug({ no }, 'delivery finished');`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  const lines = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const errors = lines.filter(({ level }) => level === ERROR);
  assert.equal(errors.length, LOG_PROBLEMS_PER_MINUTE_MAX + 1);
  assert.equal(errors[0].err.message, 'away');
  assert.match(errors.at(-1).msg, /^commit 99 failed: and 90 more like it within \d+ s$/);
  assert.equal(errors.at(-1).shard, 1);
  assert.equal(lines.length - errors.length, 100);
});
