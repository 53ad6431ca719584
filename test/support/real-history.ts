// The real history for tests: it is not part of the project, so tests that need it skip where it is absent.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History } from '#engine/seasons/history/history.ts';

const FOLDER = fileURLToPath(new URL('../../../shared/data/history/f1db', import.meta.url));

/** What `skip` of a test becomes. */
export const WITHOUT_HISTORY = existsSync(FOLDER) ? false : 'no history at ../shared/data/history/f1db';

let read: History | null = null;

export function realHistory(): History {
  read ??= readF1dbRelease(FOLDER);
  return read;
}
