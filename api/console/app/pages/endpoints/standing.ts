// How an endpoint stands, in one word.

import type { WebhookEndpoint } from '#api/client/calls.ts';

export type Standing = 'paused' | 'suspended' | 'failing' | 'paused_for_run' | 'quiet' | 'healthy';

export function standingOf({ active, suspended, health }: WebhookEndpoint): Standing {
  if (suspended !== null) return 'suspended';
  if (!active) return 'paused';
  if (health.state !== 'healthy') return health.state;
  return health.attempts === 0 ? 'quiet' : 'healthy';
}

/** The colour of its badge. */
export const TONES: Readonly<Record<Standing, '' | 'good' | 'warn' | 'bad'>> = {
  paused: '',
  suspended: 'warn',
  failing: 'bad',
  paused_for_run: 'warn',
  quiet: '',
  healthy: 'good',
};
