// A task for the pool: derives a recording's timeline and writes its playback artifact.

import type { MessagePort } from 'node:worker_threads';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { writeArtifact } from '#engine/timeline/artifact.ts';
import { fingerprintRecording } from '#engine/timeline/recording-fingerprint.ts';

export interface CompileJob {
  readonly recording: string;
  readonly artifact: string;
  /** Receives the progress, 0 to 1. */
  readonly progress: MessagePort;
}

/** The share of deriving in the whole job. The rest is writing. */
const DERIVING_SHARE = 0.9;

export async function compileArtifact({ recording, artifact, progress }: CompileJob): Promise<void> {
  // Taken first: if the recording is replaced meanwhile, the artifact counts as stale.
  const fingerprint = await fingerprintRecording(recording);
  const reader = RecordingReader.open(recording);
  try {
    const frames = reader.frames((done, total) => progress.postMessage((done / total) * DERIVING_SHARE));
    // Invalid messages are skipped silently: an import has refused them, and a live session has logged them.
    const timeline = deriveTimeline(reader.head, frames, undefined, () => {});
    writeArtifact(artifact, timeline, { deriverVersion: DERIVER_VERSION, recording: fingerprint });
  } finally {
    reader.close();
    progress.close();
  }
}
