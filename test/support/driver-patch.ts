// The patch of the PostgreSQL driver, split into its changes, and copies of the driver without some of them. With these
// a test shows that each change is needed.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Consecutive lines of the patch. */
export interface DriverChange {
  /** The correction that its comment names, such as `P1`. */
  readonly correction: string;
  /** Path from the root of the checkout. */
  readonly file: string;
  /** Index of the first added line in the patched file, from 0. */
  readonly at: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGE = 'node_modules/postgres';
const PATCH_FILE = join(ROOT, 'patches/postgres+3.4.9.patch');
/** URL to import the driver that the service uses. */
export const INSTALLED_DRIVER = pathToFileURL(join(ROOT, PACKAGE, 'src/index.js')).href;

/** In the order of the patch. */
export function driverChanges(): readonly DriverChange[] {
  const changes: DriverChange[] = [];
  let file = '';
  let at = 0;
  let added: string[] = [];
  let removed: string[] = [];
  const finish = (): void => {
    if (added.length + removed.length === 0) return;
    const [correction, ...others] = new Set(added.join('\n').match(/\bP\d+\b/g));
    assert.ok(correction !== undefined && others.length === 0, `names one correction: ${added.join('\n')}`);
    changes.push({ correction, file, at: at - added.length, added, removed });
    [added, removed] = [[], []];
  };
  for (const line of readFileSync(PATCH_FILE, 'utf8').split('\n')) {
    const hunk = /^@@ -\S+ \+(\d+)/.exec(line);
    if (line.startsWith('+++ b/')) file = line.slice('+++ b/'.length);
    else if (hunk !== null) at = Number(hunk[1]) - 1;
    else if (file === '' || line.startsWith('--- ')) continue;
    else if (line.startsWith('+')) at = added.push(line.slice(1)) && at + 1;
    else if (line.startsWith('-')) removed.push(line.slice(1));
    else {
      finish();
      at++;
    }
  }
  finish();
  return changes;
}

/** Copies the installed driver to a new folder in `parent`, without these changes. Returns the URL to import. */
export function copyDriver(parent: string, reverted: readonly DriverChange[]): string {
  const folder = mkdtempSync(join(parent, 'driver-'));
  cpSync(join(ROOT, PACKAGE), folder, { recursive: true });
  // From the end, so that the line numbers of the other changes stay valid.
  for (const { file, at, added, removed } of reverted.toReversed()) {
    const path = join(folder, file.slice(PACKAGE.length));
    const lines = readFileSync(path, 'utf8').split('\n');
    assert.deepEqual(lines.splice(at, added.length, ...removed), added, 'the installed driver has this change');
    writeFileSync(path, lines.join('\n'));
  }
  return pathToFileURL(join(folder, 'src/index.js')).href;
}
