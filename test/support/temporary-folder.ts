// A folder for one test, removed with everything in it when the test ends.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
