// A task for the pool: reads how a recorded session ended.

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
    // An error keeps its message between threads, and nothing else that it knows.
    if (error instanceof RecordingError && error.code !== 'io') return { damage: error.message };
    throw error;
  }
}
