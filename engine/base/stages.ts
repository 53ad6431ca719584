// The way of an update through the engine, as one running sentence. Folders, metrics, tests and benches use these words.

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
