// `npm ci` refuses a lock file that lacks a package's variant for any platform, even one that this machine never
// installs. And a patch fits only one version of its package.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const text = read('package-lock.json');
const packages = (JSON.parse(text) as { packages: Record<string, LockedPackage> }).packages;

test('the lock file has every optional package of every platform', () => {
  const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => packages[`node_modules/${name}`]?.version === undefined),
  );
  assert.deepEqual(missing, []);
});

test('the lock file names no host, so that any registry works', () => {
  assert.doesNotMatch(text, /"resolved"/);
});

/** SHA-256 of the package's binaries for Node 22. No source in the package shows what they do. */
const UWS_BINARIES: Readonly<Record<string, string>> = {
  'uws_darwin_arm64_127.node': 'abbeea53d48e21c01808203e9f9835728f2cea720d2e5b154837ee3045b513be',
  'uws_darwin_x64_127.node': 'afd992dc1ca1e33cdc7ce0c72a60baf236e590a257fcecbbbce7bc1a35451387',
  'uws_linux_arm64_127.node': 'd4c4f8b2c28c5f6544b49e36d91b0beee238a5b90a07904a947f77061c8b814d',
  'uws_linux_arm_127.node': '0e1d4024b629a1fe17ec76cde8fe7e320101eb8bdcf7b2c4086933932e3cea23',
  'uws_linux_x64_127.node': '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
  'uws_win32_x64_127.node': '585d6ee2dbfc750b1d5a59e6ceaef8a977e90ef3e298a82821d58b41cd72a8c0',
};

test('the binaries of uWebSockets.js that this Node can load are those that were reviewed', () => {
  const folder = new URL('../node_modules/uWebSockets.js/dist/bin/', import.meta.url);
  const present = readdirSync(folder).filter((name) => name.endsWith(`_${process.versions.modules}.node`));
  const digests = present.map((name) => [
    name,
    createHash('sha256')
      .update(readFileSync(new URL(name, folder)))
      .digest('hex'),
  ]);
  assert.deepEqual(Object.fromEntries(digests), UWS_BINARIES);
});

test('each patch is for the pinned version of its package, and the install applies it', () => {
  const { dependencies, scripts } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const patches = readdirSync(new URL('../patches', import.meta.url));
  assert.deepEqual(patches, [`postgres+${dependencies!.postgres}.patch`]);
  assert.match(dependencies!.postgres!, /^\d+\.\d+\.\d+$/);
  assert.equal(packages['node_modules/postgres']?.version, dependencies!.postgres);
  assert.match(scripts!.postinstall!, / && patch-package --error-on-fail --error-on-warn$/);
  assert.ok('patch-package' in dependencies!, 'it is installed even without development dependencies');
});
