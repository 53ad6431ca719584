// Repairs a recording after a crash. A crash can leave a torn tail: the last records are written in part or not at all.
// Recovery cuts the tail off behind the last intact record. A broken record with an intact one behind it is damage, not
// a torn tail: the file then stays unchanged for the operator.

import { closeSync, fsyncSync, ftruncateSync, openSync } from 'node:fs';
import { fileError } from '#engine/base/recording-error.ts';
import { damaged } from './recording-format.ts';
import { RecordingReader } from './recording-reader.ts';

export interface RecoveredRecording {
  readonly frames: number;
  /** Size after recovery. */
  readonly bytes: number;
  /** Bytes of the torn tail that were cut off; 0 when the recording was whole. */
  readonly cutBytes: number;
}

/** Cuts off a torn tail. No writer may have the recording open. Throws a RecordingError when it is damaged. */
export function recoverRecording(file: string): RecoveredRecording {
  const reader = RecordingReader.open(file);
  try {
    const { offset, frames } = reader.intactEnd();
    const cutBytes = reader.bytes - offset;
    if (cutBytes > 0) {
      if (reader.hasRecordAfter(offset)) throw damaged(file, offset, 'intact records follow');
      cut(file, offset);
    }
    return { frames, bytes: offset, cutBytes };
  } finally {
    reader.close();
  }
}

function cut(file: string, bytes: number): void {
  try {
    const descriptor = openSync(file, 'r+');
    try {
      ftruncateSync(descriptor, bytes);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw fileError(error, `repairing ${file}`);
  }
}
