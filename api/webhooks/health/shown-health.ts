// The health of an endpoint, as customers see it.

import type { Static } from 'typebox';
import type { EndpointHealth as ShownHealth } from '#schemas/http/webhooks.ts';
import type { EndpointHealth } from './endpoint-health-store.ts';

export function shownHealth(health: EndpointHealth): Static<typeof ShownHealth> {
  const { state, failingSince, attempts, delivered, p95LatencyMs, lastFailure, missedUpdates } = health;
  return {
    state,
    failingSince: failingSince?.toISOString() ?? null,
    attempts,
    successShare: attempts === 0 ? null : Math.round((delivered / attempts) * 10_000) / 10_000,
    p95LatencyMs,
    lastFailure: lastFailure === null ? null : { ...lastFailure, at: lastFailure.at.toISOString() },
    missedUpdates,
  };
}
