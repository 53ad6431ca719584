// Attempts as the engine records them, for tests that play the engine.

import type { Harness } from '#test/support/api-harness.ts';

export const DELIVERED: readonly number[] = [200];
export const FAILED: readonly number[] = [500, 500, 500, 401];

/** Records attempts of one update: their statuses, in order. */
export async function attempted(
  { sql }: Pick<Harness, 'sql'>,
  runId: string,
  webhookId: string,
  sequence: number,
  statuses: readonly number[],
): Promise<void> {
  await sql`
    insert into delivery_attempt (webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, created_at)
    select webhook_no, run_no, case when run.mode = 'replay' or source_run_id is not null then 'replay' else 'live' end, 0,
      ${sequence}, place, status, 1, now()
    from run left join resend using (run_id), webhook,
      unnest(${statuses as number[]}::int[]) with ordinality as made (status, place)
    where webhook.webhook_id = ${webhookId} and run.run_id = ${runId}`;
}
