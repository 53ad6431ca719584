// Patroni's configuration in docs/operating.md is the one that `npm run faults -- patroni` runs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { read } from './documents.ts';

test('docs/operating.md shows the configuration of Patroni that is run, whole', () => {
  const run = readFileSync(new URL('../faults/patroni.yml', import.meta.url), 'utf8');
  const shown = run.replace(/^(?=.)/gm, '    ');
  assert.ok(read('docs/operating.md').includes(`\n\n${shown}\n`));
});
