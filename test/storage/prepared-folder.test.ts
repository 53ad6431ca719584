// Tests of databases and services start from a copy of what the suite has prepared. Were the copy empty, they would make
// a database each: slower, and nothing else would show it.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDataDir } from '#test/support/database.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

test('the data folder of a test has what its template has, at the same place', (t) => {
  const { TEST_TEMPLATES } = process.env;
  const templates = join(temporaryFolder(t), 'templates');
  t.after(() => {
    if (TEST_TEMPLATES === undefined) delete process.env.TEST_TEMPLATES;
    else process.env.TEST_TEMPLATES = TEST_TEMPLATES;
  });
  process.env.TEST_TEMPLATES = templates;
  for (const like of ['database', 'service'] as const) {
    mkdirSync(join(templates, like, 'postgres'), { recursive: true });
    writeFileSync(join(templates, like, 'postgres', like), '');
    assert.ok(existsSync(join(temporaryDataDir(like), 'postgres', like)));
  }
});
