// A simulation that finds nothing proves little unless it can find defects. Each of these defects, put into the engine,
// must be found within a few seeds.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BrokenEngine } from './break-engine.ts';
import { MUTATIONS } from './mutations.ts';

const SCRIPT = fileURLToPath(new URL('./break-engine.ts', import.meta.url));
const PROCESSES = 2;
/** A broken engine may never end. */
const TIME_MS_MAX = 240_000;

test(`the simulation finds each of ${MUTATIONS.length} defects`, async (t) => {
  const outputs = await Promise.all(
    Array.from({ length: PROCESSES }, (_, first) =>
      promisify(execFile)(process.execPath, [SCRIPT, String(first), String(PROCESSES)], { timeout: TIME_MS_MAX }),
    ),
  );
  const lines = outputs.flatMap(({ stdout }) => stdout.trim().split('\n'));
  const tried = lines.map((line) => JSON.parse(line) as BrokenEngine);
  for (const { defect, found } of tried) t.diagnostic(`${defect}: ${found ?? 'NOT FOUND'}`);
  assert.equal(tried.length, MUTATIONS.length);
  const missed = tried.filter(({ found }) => found === null);
  assert.deepEqual(missed, []);
});
