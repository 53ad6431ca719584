// GET /healthz: the process is alive. GET /readyz: the service is ready.

import { ApiError } from '#api/http/api-error.ts';
import { type Operation, publicOperation, reply } from '#api/http/operation.ts';
import { HealthAnswer } from '#schemas/http/health.ts';
import type { Readiness } from './readiness.ts';

export function healthRoutes(readiness: Readiness): { readonly live: Operation; readonly ready: Operation } {
  return {
    live: publicOperation(
      { summary: 'Report that the process is alive', answer: HealthAnswer, undocumented: true },
      async () => reply({ status: 'ok' }),
    ),

    ready: publicOperation(
      { summary: 'Report whether the service is ready', answer: HealthAnswer, undocumented: true },
      async () => {
        const problems = await readiness.problems();
        if (problems.length > 0)
          throw new ApiError('unavailable', `Not ready: ${problems.join('; ')}.`, { 'retry-after': '1' });
        return reply({ status: 'ready' });
      },
    ),
  };
}
