// Why an update was deliberately not delivered.

export const SKIP_REASONS = [
  'paused',
  'deleted',
  'filtered',
  'breaker_open',
  'monthly_limit',
  'replay_only',
  'stopped',
  'expired',
  'actor_failed',
  'snapshot_unavailable',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];
