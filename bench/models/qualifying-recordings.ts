// The recordings of qualifying. They are few, and all of them are later than the seasons that choices are made on.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSource } from '#engine/intake/source/open-source.ts';
import type { Frame } from '#engine/racing/frame.ts';

export interface QualifyingRecording {
  readonly sessionId: string;
  readonly frames: readonly Frame[];
}

/** With their paths in the folder of recordings. */
export const QUALIFYING_RECORDINGS: readonly (readonly [sessionId: string, path: string])[] = [
  ['2023-azerbaijan-qualifying', 'archive/2023-azerbaijan-qualifying'],
  ['2024-china-sprint-qualifying', 'archive/2024-china-sprint-qualifying'],
  ['2024-spain-qualifying', 'archive/2024-spain-qualifying'],
  ['2025-mexico-qualifying', 'archive/2025-mexico-qualifying'],
  ['2025-azerbaijan-qualifying', 'fastf1-text/2025-azerbaijan-qualifying/saved_data.txt'],
  ['2026-austria-qualifying', 'signalr-core/2026-austria-qualifying/frames.ndjson'],
];

/** Missing ones are skipped. */
export function recordedQualifying(folder: string): readonly QualifyingRecording[] {
  return QUALIFYING_RECORDINGS.filter(([, path]) => existsSync(join(folder, path))).map(([sessionId, path]) => ({
    sessionId,
    frames: [...openSource(join(folder, path)).frames()],
  }));
}
