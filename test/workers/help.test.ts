import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { temporaryDataDir } from '#test/support/database.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
/** They are programs of others, or run by npm. */
const WITHOUT_HELP = ['postinstall', 'check', 'format'];
const EXAMPLE = /^(Examples?:| {2}(?:\w+=\S+ )*npm (?:start|test|run [a-z]))/m;

test('every program of package.json has help on standard output, with its exit codes and an example', async () => {
  const { scripts } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8')) as { scripts: Record<string, string> };
  const programs = Object.entries(scripts).filter(([name]) => !WITHOUT_HELP.includes(name));
  assert.ok(programs.length >= 12);
  for (const [name, script] of programs) {
    const args = script.replace(/^(exec )?node /, '').split(' ');
    const run = promisify(execFile)(process.execPath, [...args, '--help'], { cwd: PROJECT });
    const { stdout, stderr } = await run;
    assert.equal(stderr, '', name);
    assert.match(stdout, /^Exit codes? ?:?/m, name);
    assert.match(stdout, EXAMPLE, name);
  }
});

test('the service takes no further argument beside --version', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['workers/main.ts', '--version', 'foo'], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /^npm start takes --help or --version alone;/);
});

test('every command of the admin tool has help with an example of that command, and so has every group of them', async () => {
  const dataDir = temporaryDataDir();
  const { out } = await runAdminCommand(dataDir, ['--help']);
  const commands = [...out.matchAll(/^ {2}([a-z-]+(?: [a-z]+)?) {2,}[A-Z]/gm)].map(([, words]) => words!);
  assert.equal(commands.length, 14);
  for (const words of commands) {
    const help = await runAdminCommand(dataDir, [...words.split(' '), '--help']);
    assert.equal(help.code, 0, words);
    assert.match(help.out, new RegExp(`\nExamples?:[\\s\\S]*npm run admin -- ${words}`), words);
  }
  for (const group of ['account', 'import', 'recording', 'run']) {
    const help = await runAdminCommand(dataDir, [group, '--help']);
    assert.match(help.out, new RegExp(`\nExample: npm run admin -- ${group} [a-z]`), group);
  }
});
