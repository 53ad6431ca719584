// In a run of the test suite, services and databases of benches start from a copy of what the first start of one leaves
// (test/suite.ts). Making that anew would take two thirds of the time of a start.

import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataFolder } from '#workers/demo/data-folder.ts';

/** The data folder of a service. The one that starts it removes it with `removeDataFolder`. */
export function makeServiceFolder(): string {
  return prepared(makeDataFolder(), 'service');
}

/** Fills an empty folder if there is something to fill it with. */
export function prepared(folder: string, like: 'service' | 'database'): string {
  const templates = process.env.TEST_TEMPLATES;
  // `cp -a` keeps the owners of files.
  if (templates !== undefined) execFileSync('cp', ['-a', `${join(templates, like)}/.`, folder]);
  // PostgreSQL may run as another user, which must be able to traverse the folder.
  chmodSync(folder, 0o711);
  return folder;
}
