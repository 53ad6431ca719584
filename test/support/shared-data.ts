// Real recordings and the real history. They are not part of the project; without them their tests are skipped.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_DATA } from '#bench/suite/shared-data.ts';

export const F1DB = dataPath('history/f1db');

/** Values for a test's `skip`. */
export const WITHOUT_RECORDINGS = existsSync(SHARED_DATA) ? false : 'no recordings at ../shared/data';
export const WITHOUT_HISTORY = ['f1db', 'f1db-2026-06'].every((release) => existsSync(dataPath(`history/${release}`)))
  ? false
  : 'no history at ../shared/data/history/f1db and f1db-2026-06';

export function dataPath(path: string): string {
  return join(SHARED_DATA, path);
}
