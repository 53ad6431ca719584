// All series. A setting decides which of them a service offers. Recordings of all of them can be derived.

import { quoted } from '#engine/base/quoted-text.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { F1 } from './f1.ts';
import { KARTING } from './karting.ts';
import type { Series } from './series.ts';

export const KNOWN_SERIES: readonly Series[] = [F1, KARTING];

export function findSeries(seriesId: string): Series | null {
  return KNOWN_SERIES.find((series) => series.seriesId === seriesId) ?? null;
}

/** Returns the series of a recording. Throws a SourceError for a series that this version does not know. */
export function seriesOf(seriesId: string): Series {
  const series = findSeries(seriesId);
  if (series !== null) return series;
  const known = KNOWN_SERIES.map((one) => one.seriesId).join(', ');
  throw new SourceError('seriesId', `${quoted(seriesId)} is not a known series`, `Known series are ${known}`);
}
