// The text of a failed command for the operator: the message of an expected error. An unexpected one shows its stack as
// well, so that it can be reported.

const EXPECTED: ReadonlySet<string> = new Set([
  'AccountRefused',
  'BundleRefused',
  'ConfigError',
  'DeletionRefused',
  'Interrupted',
  'ListenFailed',
  'ProblemsFound',
  'RecordingError',
  'RunRefused',
  'SourceError',
  'StorageError',
]);

export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (EXPECTED.has(error.name)) return error.message;
  return `Unexpected: ${error.stack ?? error.message}`;
}
