// Errors of recording files. The message is one line that names the file and the next step.

export type RecordingErrorCode = 'missing' | 'not_a_recording' | 'other_version' | 'damaged' | 'too_large' | 'io';

export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  readonly code: RecordingErrorCode;

  constructor(code: RecordingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Turns an error of the file system into a RecordingError. Returns any other error unchanged. `doing`: such as `writing
 * FILE`.
 */
export function fileError(error: unknown, doing: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error && 'code' in error)) return error;
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new RecordingError('io', `${doing}: no space left on the disk; free some and try again`, { cause: error });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new RecordingError('io', `${doing}: no permission; check the owner of DATA_DIR`, { cause: error });
    case 'ENOENT':
      return new RecordingError('missing', `${doing}: there is no such file or folder`, { cause: error });
    default:
      return new RecordingError('io', `${doing}: ${error.message}`, { cause: error });
  }
}
