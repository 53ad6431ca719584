// GET /healthz: the process answers. GET /readyz: it can also reach its database.

import { ApiError } from '#api/http/api-error.ts';
import { type Operation, publicOperation, reply } from '#api/http/operation.ts';
import { HealthAnswer } from '#schemas/http/health.ts';

const READY_WAIT_MS = 2_000;

/** `ping` resolves when the database has answered. */
export function healthRoutes(ping: () => Promise<unknown>): { readonly live: Operation; readonly ready: Operation } {
  return {
    live: publicOperation(
      { summary: 'Tell that the process lives', answer: HealthAnswer, undocumented: true },
      async () => reply({ status: 'ok' }),
    ),

    ready: publicOperation(
      { summary: 'Tell that the service can work', answer: HealthAnswer, undocumented: true },
      async () => {
        let timer: NodeJS.Timeout | undefined;
        const patience = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error('the database did not answer in time')), READY_WAIT_MS);
        });
        try {
          await Promise.race([ping(), patience]);
        } catch {
          throw new ApiError('unavailable', 'The database cannot be reached.', { 'retry-after': '1' });
        } finally {
          clearTimeout(timer);
        }
        return reply({ status: 'ready' });
      },
    ),
  };
}
