// What a bundle of this checkout would hold, without packing it.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleContents } from '#workers/bundle/bundle-contents.ts';
import { ownPlatform } from '#workers/bundle/platform.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const { version, entries } = await bundleContents(ROOT, ownPlatform());
const paths = new Set(entries.map(({ path }) => path.slice(`slipstream-${version}/`.length)));

test('every package that the code imports is in the bundle', () => {
  const code = globSync('{engine,api,workers,schemas}/**/*.{ts,tsx}', { cwd: ROOT }).map((file) =>
    readFileSync(`${ROOT}${file}`, 'utf8'),
  );
  const imported = code.flatMap((text) =>
    [...text.matchAll(/(?:from |import\()'((?:@[\w.-]+\/)?[\w.-]+)[\w./-]*'/g)].map(([, name]) => name!),
  );
  const names = [...new Set(imported)].filter((name) => !name.startsWith('.') && !name.startsWith('node'));
  for (const name of ['piscina', '@node-rs/argon2', 'stripe', 'esbuild', 'preact', 'uplot'])
    assert.ok(names.includes(name));
  // The last is in a program that the console shows to customers.
  assert.deepEqual(
    names.filter((name) => !paths.has(`node_modules/${name}/package.json`)),
    ['slipstream-client'],
  );
});

test('what docs/operating.md names of an installed version is in the bundle', () => {
  const text = readFileSync(`${ROOT}docs/operating.md`, 'utf8');
  const named = [...text.matchAll(/(?:\/opt\/slipstream(?:-[\d.]+)?|\$\{PROGRAM:-\/opt\/slipstream\})\/([\w./-]+)/g)];
  const files = named.map(([, path]) => path!);
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.filter((file) => !paths.has(file)),
    [],
  );
});

test('each package keeps its licence', () => {
  const licences = [...paths].filter((path) => /^node_modules\/.*\/licen[cs]e[^/]*$/i.test(path));
  const packages = [...paths].filter((path) => /^node_modules\/(?:@[^/]+\/)?[^/.@]+$/.test(path));
  const lacking = packages.filter((folder) => {
    const installed = globSync(`${folder}/{LICEN[CS]E,licen[cs]e}*`, { cwd: ROOT });
    return installed.some((file) => !licences.includes(file));
  });
  assert.ok(packages.length > 50);
  assert.deepEqual(lacking, []);
});
