// Copies the frames of a source into a recording. An import is all or nothing: one that fails or is interrupted leaves
// an earlier recording of the session unchanged.

import { join } from 'node:path';
import { StagedFile } from '#engine/base/staged-file.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { RecordingHead } from './recording-format.ts';
import { RecordingWriter } from './recording-writer.ts';
import type { SessionId } from './session-id.ts';

/** The path of a session's recording. */
export function recordingFile(dataDir: string, sessionId: SessionId): string {
  return join(dataDir, 'recordings', `${sessionId}.frames`);
}

/** A complete, durable recording that is not published yet. */
export interface StagedRecording {
  readonly staged: StagedFile;
  readonly frames: number;
  readonly bytes: number;
}

/** Writes all frames beside `file`. The caller publishes or discards the staged file. */
export function stageRecording(file: string, head: RecordingHead, frames: Iterable<Frame>): StagedRecording {
  const staged = new StagedFile(file);
  try {
    const writer = RecordingWriter.create(staged.temporary, head);
    try {
      for (const frame of frames) writer.append(frame);
      writer.sync();
      return { staged, frames: writer.frames, bytes: writer.bytes };
    } finally {
      writer.close();
    }
  } catch (error) {
    staged.discard();
    throw error;
  }
}

/** Writes all frames to `file`, replacing an earlier recording. */
export function importRecording(file: string, head: RecordingHead, frames: Iterable<Frame>): StagedRecording {
  const recording = stageRecording(file, head, frames);
  recording.staged.publish();
  return recording;
}
