// The real history for tests, read once.

import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { F1DB } from './shared-data.ts';

let read: History | null = null;

export function realHistory(): History {
  read ??= readF1dbRelease(F1DB);
  return read;
}
