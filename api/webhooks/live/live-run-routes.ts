// The route for live runs. Replays have their own (run-routes.ts).

import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { pageOf } from '#api/http/page.ts';
import { RUN_ENDPOINTS_LISTED_MAX } from '#engine/base/limits.ts';
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
        const { limit, offset } = pageOf(query);
        const session = query.session ?? null;
        const endpointsMax = Math.floor(RUN_ENDPOINTS_LISTED_MAX / limit);
        const [found, total] = await Promise.all([
          runs.list(accountId, session, limit, offset, endpointsMax),
          runs.count(accountId, session),
        ]);
        const shown = found.map(({ startedAt, endedAt, endpoints, ...run }) => ({
          ...run,
          startedAt: startedAt.toISOString(),
          endedAt: endedAt?.toISOString() ?? null,
          pending: run.matched - run.delivered - run.failed - run.skipped,
          endpoints: endpoints.map((endpoint) => {
            const skips = Object.values(endpoint.skipped).reduce((sum, count) => sum + count, 0);
            return { ...endpoint, pending: endpoint.matched - endpoint.delivered - endpoint.failed - skips };
          }),
        }));
        return reply({ data: { runs: shown, total, limit, offset } });
      },
    ),
  };
}
