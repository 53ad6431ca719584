// The real history for tests, each release read once.

import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { dataPath } from './shared-data.ts';

const read = new Map<string, History>();

/** `f1db` ends with 2025, `f1db-2026-06` with the sixth round of 2026. */
export function realHistory(release: 'f1db' | 'f1db-2026-06' = 'f1db'): History {
  const history = read.get(release) ?? readF1dbRelease(dataPath(`history/${release}`));
  read.set(release, history);
  return history;
}
