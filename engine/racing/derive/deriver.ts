// Which code derives, and its version.

import type { Series } from '#engine/racing/series/series.ts';
import type { UpdateSink } from '#engine/timeline/update-sink.ts';
import { SessionDeriver } from './derive.ts';
import { DERIVER_VERSION } from './deriver-version.ts';

export interface Deriver {
  readonly version: number;
  /** Begins a session whose updates go to `timeline`. */
  begin(timeline: UpdateSink, series: Series): SessionDeriver;
}

export const DERIVER: Deriver = {
  version: DERIVER_VERSION,
  begin: (timeline, series) => new SessionDeriver(timeline, series),
};
