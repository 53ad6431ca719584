// A task for the pool: reads the outcome of a recorded session.

import type { ReadOutcome } from '#api/outcomes/recorded-outcomes.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import { seriesOf } from '#engine/racing/series/known-series.ts';

export function readOutcome(recording: string): ReadOutcome {
  try {
    const reader = RecordingReader.open(recording);
    try {
      return { outcome: recordedOutcome(seriesOf(reader.head.seriesId), reader.frames()) };
    } finally {
      reader.close();
    }
  } catch (error) {
    // Between threads an error keeps only its message, so damage is returned as a value.
    if (error instanceof RecordingError && error.code !== 'io') return { damage: error.message };
    throw error;
  }
}
