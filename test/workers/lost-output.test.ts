// What reads the output of a program may leave before the program has ended, as `| head -1` does.

import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runningPostmaster } from '#engine/storage/embedded/postmaster.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { eventually } from '#test/support/patience.ts';

function unread(file: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const program = fileURLToPath(new URL(file, import.meta.resolve('#workers/main.ts')));
  const { PATH, NODE_OPTIONS } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, NODE_OPTIONS, DATA_DIR: temporaryDataDir(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return { child, ended, errors: () => errors };
}

test('a command does its work to the end, and says nothing of it', async () => {
  const help = unread('admin.ts', ['--help']);
  assert.equal(await help.ended, 0);
  assert.equal(help.errors(), '');
});

test('a service serves on', async (t) => {
  const [port] = await freePorts(1);
  const service = unread('main.ts', [], { PORT: String(port), LOG_LEVEL: 'error' });
  t.after(() => service.child.kill('SIGTERM'));
  await eventually('a service that is ready', async () => {
    assert.equal(service.child.exitCode, null, service.errors());
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return answer?.status === 200;
  });
  // What it printed before it served is lost.
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
  assert.equal(service.errors(), '');
});

/** Runs a program in a terminal of its own, closes the terminal when the program has said a text, and prints how it ended. */
const CLOSED_TERMINAL = `
import os, pty, sys
said, *program = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(program[0], program)
shown = b''
while said.encode() not in shown:
    shown += os.read(terminal, 65536)
os.close(terminal)
print(os.waitpid(pid, 0)[1])
`;
const WITHOUT_PYTHON = spawnSync('python3', ['--version']).status === 0 ? false : 'this machine has no python3';

test('a service whose terminal is closed stops, with all that it has to say', { skip: WITHOUT_PYTHON }, async () => {
  const dataDir = temporaryDataDir('service');
  const { PATH, NODE_OPTIONS } = process.env;
  const main = fileURLToPath(import.meta.resolve('#workers/main.ts'));
  const { stdout } = await promisify(execFile)(
    'python3',
    ['-c', CLOSED_TERMINAL, 'slipstream ready', process.execPath, main],
    { env: { PATH, NODE_OPTIONS, DATA_DIR: dataDir, PORT: '0' } },
  );
  assert.equal(stdout.trim(), '0');
  assert.equal(await runningPostmaster(join(dataDir, 'postgres', 'data')), null);
});
