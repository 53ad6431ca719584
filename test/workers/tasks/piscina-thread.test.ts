import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { PiscinaThread } from '#workers/tasks/piscina-thread.ts';

function threadFor(t: TestContext): PiscinaThread<string, string> {
  const file = new URL('mortal-task.ts', import.meta.url);
  const thread = new PiscinaThread<string, string>(file, 'answer', Number.POSITIVE_INFINITY);
  t.after(() => thread.close());
  // Keeps the process alive: a test must not end just because no work is left.
  const timer = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(timer));
  return thread;
}

const outcomes = async (promises: readonly Promise<string>[]) =>
  (await Promise.allSettled(promises)).map((settled) => (settled.status === 'fulfilled' ? settled.value : 'failed'));

test('a task whose thread dies fails, and the waiting tasks still run', {
  timeout: 20_000,
}, async (t) => {
  const thread = threadFor(t);
  const tasks = ['first', 'die', 'second', 'third', 'die', 'fourth'].map((task) => thread.run(task));
  assert.deepEqual(await outcomes(tasks), ['first', 'failed', 'second', 'third', 'failed', 'fourth']);
});

test('a thread that cannot start fails its task and no process; with its files in place again the next task runs', {
  timeout: 20_000,
}, async (t) => {
  const file = join(temporaryFolder(t), 'task.mjs');
  const thread = new PiscinaThread<string, string>(pathToFileURL(file), 'answer', Number.POSITIVE_INFINITY);
  t.after(() => thread.close());
  const timer = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(timer));
  const outcome = await Promise.race([outcomes([thread.run('a'), thread.run('b')]), pause(10_000, 'waits for ever')]);
  assert.deepEqual(outcome, ['failed', 'failed']);
  writeFileSync(file, 'export const answer = async (task) => task;');
  assert.equal(await thread.run('c'), 'c');
  assert.equal(thread.tasks, 0);
});

test('closing abandons the present task and the waiting ones', { timeout: 20_000 }, async (t) => {
  const thread = threadFor(t);
  await thread.run('first');
  const tasks = ['linger', 'second', 'third'].map((task) => thread.run(task));
  await new Promise((resolve) => setImmediate(resolve));
  const settled = outcomes(tasks);
  await thread.close();
  assert.deepEqual(await settled, ['failed', 'failed', 'failed']);
});
