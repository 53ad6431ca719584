// A simulation that finds nothing proves nothing unless it would have found something: each of these defects, put into a copy
// of the engine, is found within a few seeds.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What the simulation imports, and nothing else. */
const COPIED = ['engine', 'schemas', 'api/usage', 'api/plans', 'test/support', 'test/simulation', 'package.json'];
const SEEDS_MAX = 250;
const AT_ONCE = 2;
const TIME_MS_MAX = 60_000;

function broken(folder: string, { file, edits }: Mutation): void {
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  let source = readFileSync(join(folder, file), 'utf8');
  for (const [text, instead] of edits) {
    assert.equal(source.split(text).length - 1, 1, `${file} has this once: ${text}`);
    source = source.replace(text, () => instead);
  }
  writeFileSync(join(folder, file), source);
}

describe('the simulation finds it when', { concurrency: AT_ONCE }, () => {
  for (const mutation of MUTATIONS) {
    test(mutation.defect, async (t) => {
      const folder = temporaryFolder(t);
      broken(folder, mutation);
      const script = 'test/simulation/first-red-seed.ts';
      const options = { cwd: folder, timeout: TIME_MS_MAX };
      const { stdout } = await promisify(execFile)(process.execPath, [script, '0', String(SEEDS_MAX)], options);
      const found = JSON.parse(stdout) as { readonly seed: number; readonly violation: string } | null;
      assert.ok(found !== null, `not within ${SEEDS_MAX} seeds`);
      t.diagnostic(`seed ${found.seed}: ${found.violation}`);
    });
  }
});
