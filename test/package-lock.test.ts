// `npm ci` refuses a lock file that lacks any platform's variant of a package, also those that this machine never installs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const packages = (JSON.parse(text) as { packages: Record<string, LockedPackage> }).packages;

test('the lock file has every optional package of every platform', () => {
  const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => packages[`node_modules/${name}`]?.version === undefined),
  );
  assert.deepEqual(missing, []);
});

test('the lock file names no host, so that any registry serves', () => {
  assert.doesNotMatch(text, /"resolved"/);
});
