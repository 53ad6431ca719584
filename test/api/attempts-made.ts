// Attempts as the engine records them, for tests that play the engine. Some are in the journal when they are read, some in
// pages.

import { foldJournal } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import type { Harness } from '#test/support/api-harness.ts';

export const DELIVERED: readonly number[] = [200];
export const FAILED: readonly number[] = [500, 500, 500, 401];

const FOLDED_AFTER = 7;
let made = 0;

/** Records attempts of one update: their statuses, in order. */
export async function attempted(
  { sql }: Pick<Harness, 'sql'>,
  runId: string,
  webhookId: string,
  sequence: number,
  statuses: readonly number[],
): Promise<void> {
  const [of] = await sql<{ webhookNo: number; runNo: number; mode: 'live' | 'replay' }[]>`
    select webhook_no as "webhookNo", run_no as "runNo",
      case when run.mode = 'replay' or source_run_id is not null then 'replay' else 'live' end as mode
    from run left join resend using (run_id), webhook
    where webhook.webhook_id = ${webhookId} and run.run_id = ${runId}`;
  made++;
  const store = new PostgresRecordStore(sql);
  const writer = { name: `engine that a test plays, ${made}`, epoch: 1 };
  await store.admit(writer);
  const attempts = statuses.map((statusCode, index) => ({
    ...of!,
    feed: 0,
    sequence,
    attempt: index + 1,
    result: { kind: 'answered' as const, statusCode, body: '' },
    latencyMs: 1,
    lagMs: 1,
    createdAtMs: Date.now(),
  }));
  await store.commit({ writer, batchNo: 1, attempts, usage: [], latency: [], checkpoints: [] });
  if (made % FOLDED_AFTER === 0) await foldJournal(sql);
}
