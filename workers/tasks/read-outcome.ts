// A task for the pool: reads how a recorded session ended.

import { RecordingError } from '#engine/recording/recording-error.ts';
import { RecordingReader } from '#engine/recording/recording-reader.ts';
import { recordedOutcome } from '#engine/session/outcome/recorded-outcome.ts';
import type { ReadOutcome } from '#engine/session/outcome/recorded-outcomes.ts';
import { seriesOf } from '#engine/session/series/known-series.ts';

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
