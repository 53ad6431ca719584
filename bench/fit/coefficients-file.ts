// Writes files of coefficients. A file whose numbers did not change stays as it is, with its date.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { CoefficientsFile, Fit, Fitted } from './fit.ts';

/** Returns whether the file changed. `day`: ISO day. */
export function writeCoefficients(
  path: string,
  { sources, method }: Pick<Fit, 'sources' | 'method'>,
  fitted: Fitted,
  day: string,
): boolean {
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CoefficientsFile) : null;
  const file = { sources, seasons: fitted.seasons, method, date: before?.date ?? day, values: fitted.values };
  if (before !== null && isDeepStrictEqual(before, file)) return false;
  writeFileSync(path, `${JSON.stringify({ ...file, date: day }, null, 2)}\n`);
  return true;
}
