import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SIMULATE = fileURLToPath(new URL('simulate.ts', import.meta.url));
const WITHOUT_THREADS = `data:text/javascript,
  import threads from 'node:worker_threads';
  import { syncBuiltinESMExports } from 'node:module';
  threads.Worker = class { constructor() { throw new Error('no threads left'); } };
  syncBuiltinESMExports();`;

function simulate(args: readonly string[], nodeArgs: readonly string[] = []) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArgs, SIMULATE, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('an invalid command line gives exit code 2, one line that says what is wrong, and where help is', () => {
  for (const [args, line] of [
    [['--seeds', 'x'], '--seeds: "x" is not a whole number'],
    [['--seeds', '0'], '--seeds must be at least 1'],
    [['--trace'], '--trace needs --seed: it prints one seed only'],
    [['--seed', '5', '--seeds', '10'], '--seed plays one seed: leave out --seeds and --from'],
    [['--seed', '5', '--from', '1'], '--seed plays one seed: leave out --seeds and --from'],
    [['--seed', '5', '--seed', '6'], '--seed is given more than once'],
    [['--bogus'], "Unknown option '--bogus'"],
    [['5'], "Unexpected argument '5'"],
  ] as const) {
    const { status, stdout, stderr } = simulate(args);
    const said = `${line}\nFor help: npm run simulate -- --help\n`;
    assert.deepEqual([status, stdout, stderr], [2, '', said], args.join(' '));
  }
});

test('seeds that cannot be played give exit code 1', () => {
  const { status, stderr } = simulate(['--seeds', '2'], ['--import', WITHOUT_THREADS]);
  assert.deepEqual([status, /no threads left/.test(stderr)], [1, true], stderr);
});
