// The route for live runs. Replays have their own (run-routes.ts).

import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { pageOf } from '#api/http/page.ts';
import { LiveRunList, LiveRunQuery } from '#schemas/http/live-runs.ts';
import type { LiveRunList as Runs } from './live-run-list.ts';

export function liveRunRoutes(runs: Runs): { readonly list: Operation } {
  return {
    list: bearerOperation(
      {
        summary: 'List the live runs: what of each live session was delivered',
        query: LiveRunQuery,
        answer: LiveRunList,
      },
      async ({ query, caller: { accountId } }) => {
        const { limit, offset } = pageOf(query, 20);
        const session = query.session ?? null;
        const [found, total] = await Promise.all([
          runs.list(accountId, session, limit, offset),
          runs.count(accountId, session),
        ]);
        const shown = found.map(({ startedAt, endedAt, endpoints, ...run }) => {
          const parts = endpoints.map((endpoint) => {
            const skips = Object.values(endpoint.skipped).reduce((sum, count) => sum + count, 0);
            const pending = endpoint.matched - endpoint.delivered - endpoint.failed - skips;
            return { endpoint: { ...endpoint, pending }, skips };
          });
          const sumOf = (count: (part: (typeof parts)[number]) => number): number =>
            parts.reduce((sum, part) => sum + count(part), 0);
          return {
            ...run,
            startedAt: startedAt.toISOString(),
            endedAt: endedAt?.toISOString() ?? null,
            matched: sumOf(({ endpoint }) => endpoint.matched),
            delivered: sumOf(({ endpoint }) => endpoint.delivered),
            failed: sumOf(({ endpoint }) => endpoint.failed),
            pending: sumOf(({ endpoint }) => endpoint.pending),
            skipped: sumOf(({ skips }) => skips),
            lagMs: Math.max(0, ...endpoints.map(({ lagMs }) => lagMs)),
            endpoints: parts.map(({ endpoint }) => endpoint),
          };
        });
        return reply({ data: { runs: shown, total, limit, offset } });
      },
    ),
  };
}
