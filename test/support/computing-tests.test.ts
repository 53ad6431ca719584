import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computingAmong, computingTests } from './computing-tests.ts';

test('a test computes unless it, or a module of tests or benches that it imports, can start or ask something', () => {
  const texts = new Map([
    ['test/a/sums.test.ts', "import { sum } from '#engine/base/sum.ts';\nimport type { Socket } from 'node:net';\n"],
    ['test/a/forks.test.ts', "import { fork } from 'node:child_process';\n"],
    ['test/a/asks.test.ts', "const answer = await fetch('http://localhost');\n"],
    ['test/a/signals.test.ts', "process.kill(process.pid, 'SIGINT');\n"],
    ['test/a/served.test.ts', "import { serve } from '../support/harness.ts';\n"],
    ['test/a/bench.test.ts', "const { run } = await import('#bench/load.ts');\n"],
    ['test/support/harness.ts', "import {\n  createServer,\n} from 'node:http';\n"],
    ['bench/load.ts', "export { openDatabase } from '#engine/storage/database.ts';\n"],
  ]);
  const tests = [...texts.keys()].filter((file) => file.endsWith('.test.ts'));
  assert.deepEqual(computingAmong(tests, texts), ['test/a/sums.test.ts']);
});

test('of the tests of this project, those that only compute are found', () => {
  const tests = ['test/api/line.test.ts', 'test/e2e/start.test.ts', 'test/storage/database.test.ts'];
  assert.deepEqual(computingTests(tests), ['test/api/line.test.ts']);
});
