// Real recordings and the real history, which are not part of the project: where they are absent, tests of them skip.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_DATA } from '#bench/suite/shared-data.ts';

export const F1DB = dataPath('history/f1db');

/** What `skip` of a test becomes. */
export const WITHOUT_RECORDINGS = existsSync(SHARED_DATA) ? false : 'no recordings at ../shared/data';
export const WITHOUT_HISTORY = existsSync(F1DB) ? false : 'no history at ../shared/data/history/f1db';

export function dataPath(path: string): string {
  return join(SHARED_DATA, path);
}
