// The stages of an update on its way through the engine, in order. Folders, metrics, tests and benches use these words.

export const STAGES = [
  'source',
  'frame',
  'recording',
  'session state',
  'update',
  'timeline',
  'filter',
  'mailbox',
  'sign',
  'attempt',
  'outcome',
  'retry | record',
  'usage',
] as const;
