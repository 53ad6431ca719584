// What went wrong, for the person who typed the command: the message of an error that was foreseen, or for one that was
// not, its stack as well, so that it can be reported.

const FORESEEN: ReadonlySet<string> = new Set([
  'AccountRefused',
  'ConfigError',
  'Interrupted',
  'ProblemsFound',
  'RecordingError',
  'SourceError',
  'StorageError',
]);

export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (FORESEEN.has(error.name)) return error.message;
  return `Unexpected: ${error.stack ?? error.message}`;
}
