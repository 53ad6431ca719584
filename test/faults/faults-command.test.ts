import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const FAULTS = fileURLToPath(new URL('faults.ts', import.meta.url));
/** As when a machine has no processes left: no case can start anything. */
const WITHOUT_PROCESSES = `data:text/javascript,
  import children from 'node:child_process';
  import { syncBuiltinESMExports } from 'node:module';
  children.spawn = () => { throw new Error('no processes left'); };
  syncBuiltinESMExports();`;

function faults(args: readonly string[], nodeArgs: readonly string[] = []) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArgs, FAULTS, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('an invalid command line gives exit code 2, one line that says what is wrong, and where help is', () => {
  for (const [args, line] of [
    [['bogus'], 'There is no case "bogus"; npm run faults -- --help lists them'],
    [['killed', '--rounds', '0'], '--rounds: "0" is not a whole number from 1 to 9999'],
    [['killed', '--rounds', '1', '--rounds=2'], '--rounds is given more than once'],
    [['killed', '--bogus'], "Unknown option '--bogus'"],
    [['killed', '--recording', '/nowhere'], '--recording: there is no folder /nowhere; "demo" is built in'],
  ] as const) {
    const { status, stdout, stderr } = faults(args);
    assert.deepEqual(
      [status, stdout, stderr],
      [2, '', `${line}\nFor help: npm run faults -- --help\n`],
      args.join(' '),
    );
  }
});

test('a case that cannot be played gives exit code 1', () => {
  const { status, stderr } = faults(['killed', '--recording', 'demo'], ['--import', WITHOUT_PROCESSES]);
  assert.deepEqual([status, /no processes left/.test(stderr)], [1, true], stderr);
});
