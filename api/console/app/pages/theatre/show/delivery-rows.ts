// The rows of the table of a run's deliveries: its endpoints, and all of them together if there are several.

import type { Run } from '#api/client/calls.ts';

/** Of many endpoints those that fall behind the most are shown. */
export const ROWS_MAX = 12;

export interface EndpointRow {
  readonly key: string;
  /** Null: all endpoints together. */
  readonly name: string | null;
  readonly delivered: number;
  readonly pending: number;
  readonly failed: number;
  readonly skipped: number;
  readonly lagMs: number;
  readonly isHeld: boolean;
  readonly isInactive: boolean;
}

export function endpointRows(endpoints: Run['endpoints'], urls: ReadonlyMap<string, string>): readonly EndpointRow[] {
  const rows = endpoints.map((endpoint): EndpointRow => {
    const { webhookId, delivered, pending, failed, skipped, lagMs, breaker, active } = endpoint;
    return {
      key: webhookId,
      name: urls.get(webhookId) ?? webhookId,
      delivered,
      pending,
      failed,
      skipped: Object.values(skipped).reduce((sum, count) => sum + count, 0),
      lagMs,
      isHeld: breaker === 'open',
      isInactive: !active,
    };
  });
  if (rows.length < 2) return rows;
  const sum = (field: 'delivered' | 'pending' | 'failed' | 'skipped'): number =>
    rows.reduce((total, row) => total + row[field], 0);
  const all: EndpointRow = {
    key: 'all',
    name: null,
    delivered: sum('delivered'),
    pending: sum('pending'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    lagMs: Math.max(...rows.map(({ lagMs }) => lagMs)),
    isHeld: false,
    isInactive: false,
  };
  return [all, ...rows.toSorted((a, b) => b.lagMs - a.lagMs).slice(0, ROWS_MAX)];
}
