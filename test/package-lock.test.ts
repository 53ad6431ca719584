// `npm ci` refuses a lock file that lacks a package's variant for any platform, even one that this machine never
// installs. And a patch fits only one version of its package.

import assert from 'node:assert/strict';
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

test('each patch is for the pinned version of its package, and the install applies it', () => {
  const { dependencies, scripts } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const patches = readdirSync(new URL('../patches', import.meta.url));
  assert.deepEqual(patches, [`postgres+${dependencies!.postgres}.patch`]);
  assert.match(dependencies!.postgres!, /^\d+\.\d+\.\d+$/);
  assert.equal(packages['node_modules/postgres']?.version, dependencies!.postgres);
  assert.match(scripts!.postinstall!, / && patch-package --error-on-fail --error-on-warn$/);
  assert.ok('patch-package' in dependencies!, 'it is installed even without development dependencies');
});
