// An install whose PostgreSQL driver lacks its patch: the service and all commands refuse it, and the install itself
// fails when the patch does not fit. Each test runs in a copy of the checkout, which shares all packages with this one
// except the driver.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { copyDriver, driverChanges } from '#test/support/driver-patch.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PARTS = ['engine', 'api', 'workers', 'schemas', 'patches', 'package.json'];
const LACKING = /^node_modules\/postgres: the database driver is not patched .* npm ci\. .* npx patch-package\n$/m;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Checkout {
  readonly folder: string;
  /** The folder of its driver. */
  readonly driver: string;
  run(program: string, ...args: string[]): Promise<Outcome>;
}

/** A copy of the checkout with the driver as published. */
function checkoutOf(t: TestContext): Checkout {
  const folder = temporaryFolder(t);
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== 'postgres') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  const driver = join(modules, 'postgres');
  renameSync(fileURLToPath(new URL('..', copyDriver(folder, driverChanges()))), driver);
  const env = {
    PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH}`,
    NODE_OPTIONS: process.env.NODE_OPTIONS,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
  };
  const run = (program: string, ...args: string[]) =>
    new Promise<Outcome>((resolve) => {
      execFile(program, args, { cwd: folder, env, timeout: 60_000 }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
    });
  return { folder, driver, run };
}

/** Runs the script with which the install patches its packages. */
function patch({ folder, run }: Checkout): Promise<Outcome> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return run('/bin/sh', '-c', scripts.postinstall.split(' && ').at(-1));
}

test('the service and the commands refuse an unpatched driver, start nothing and name the remedy', async (t) => {
  const checkout = checkoutOf(t);
  const { run } = checkout;
  const refused = [
    run('node', 'workers/main.ts'),
    run('node', 'workers/admin.ts', 'account', 'create', '--email', 'ada@example.com', '--plan', 'custom'),
  ];
  for (const { code, err } of await Promise.all(refused)) {
    assert.equal(code, 1);
    assert.match(err, LACKING);
    assert.doesNotMatch(err, /^ +at /m, 'no stack');
  }
  assert.deepEqual(
    readdirSync(join(checkout.folder, 'data')).filter((name) => name.startsWith('postgres')),
    [],
  );
  const { out } = await run('node', 'workers/admin.ts', 'doctor');
  assert.match(out, /^problem {2}runtime {6}node_modules\/postgres: the database driver is not patched/m);
});

test('the install patches the driver and can be repeated', async (t) => {
  const checkout = checkoutOf(t);
  for (let times = 0; times < 2; times++) assert.equal((await patch(checkout)).code, 0);
  const { code, out } = await checkout.run('node', 'workers/admin.ts', 'doctor');
  assert.equal(code, 0, out);
  assert.match(out, /^ok {7}runtime {6}postgres, the database driver, is patched$/m);
});

test('an install fails when the driver has another version or other content', async (t) => {
  const other = checkoutOf(t);
  const manifest = join(other.driver, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"version": "3.4.9"', '"version": "3.4.10"'));
  const changed = checkoutOf(t);
  const source = join(changed.driver, 'src/connection.js');
  writeFileSync(source, readFileSync(source, 'utf8').replace('!hadError && (query', 'hadError || (query'));
  assert.deepEqual(
    (await Promise.all([patch(other), patch(changed)])).map(({ code }) => code),
    [1, 1],
  );
});
