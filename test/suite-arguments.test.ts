// What `npm test` makes of its arguments.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSuiteArguments } from '#test/support/suite-arguments.ts';

const SUITE = fileURLToPath(new URL('suite.ts', import.meta.url));

test('files and options of `npm test` come in any order, and a value of an option is no file', () => {
  const expected = { files: ['a.test.ts', 'b.test.ts'], options: ['--test-name-pattern', 'I10', '--test-only'] };
  for (const args of [
    ['a.test.ts', 'b.test.ts', '--test-name-pattern', 'I10', '--test-only'],
    ['--test-name-pattern', 'I10', '--test-only', 'a.test.ts', 'b.test.ts'],
    ['a.test.ts', '--test-name-pattern', 'I10', 'b.test.ts', '--test-only'],
  ])
    assert.deepEqual(readSuiteArguments(args), expected);
  assert.deepEqual(readSuiteArguments(['--test-name-pattern=I10']), {
    files: [],
    options: ['--test-name-pattern=I10'],
  });
  assert.deepEqual(readSuiteArguments([]), { files: [], options: [] });
});

test('`npm test -- --help` says what it takes, and runs nothing', () => {
  const { status, stdout } = spawnSync(process.execPath, [SUITE, '--help'], { encoding: 'utf8' });
  assert.equal(status, 0);
  assert.match(stdout, /^npm test -- \[FILE\.\.\.\] \[--test-name-pattern TEXT\]\n/);
});
