// The filters of the delivery log, as a form keeps them. Empty texts filter nothing.

import type { ListDeliveryLogRequest } from '#api/client/calls.ts';

export interface LogFilter {
  readonly outcome: '' | 'delivered' | 'failed';
  readonly mode: '' | 'live' | 'replay' | 'test';
  readonly feed: string;
  readonly run: string;
  readonly delivery: string;
  /** HTTP status. */
  readonly status: string;
  /** As inputs of times give it, in the viewer's zone: `2026-11-23T14:00`. */
  readonly since: string;
  readonly until: string;
}

export const NO_LOG_FILTER: LogFilter = {
  outcome: '',
  mode: '',
  feed: '',
  run: '',
  delivery: '',
  status: '',
  since: '',
  until: '',
};

export function logQuery(filter: LogFilter): Omit<ListDeliveryLogRequest, 'webhookId'> {
  const { outcome, mode, feed, run, delivery, status, since, until } = filter;
  return {
    ...(outcome !== '' && { outcome }),
    ...(mode !== '' && { mode }),
    ...(feed !== '' && { feed }),
    ...(delivery.trim() !== '' && { delivery: delivery.trim() }),
    ...(run.trim() !== '' && { run: run.trim() }),
    ...(/^\d{3}$/.test(status.trim()) && { status: Number(status) }),
    ...momentOf('since', since),
    ...momentOf('until', until),
  };
}

/** Inputs of times take years of six digits, of which dates know nothing. */
function momentOf<Name extends string>(name: Name, text: string): { readonly [Key in Name]?: string } {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? {} : ({ [name]: new Date(atMs).toISOString() } as { readonly [Key in Name]: string });
}

export function isFiltering(filter: LogFilter): boolean {
  return Object.keys(logQuery(filter)).length > 0;
}
