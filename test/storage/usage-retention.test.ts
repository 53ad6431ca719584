// Merging the days of old months, against a real server.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { MONTH_DETAIL_DAYS } from '#engine/base/limits.ts';
import { mergeUsageDays } from '#engine/storage/usage-retention.ts';
import { withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 5, 15);
const pace = { clock: systemClock, isClosing: () => false };
const { sql } = await withDatabase({ after });

const months = () => sql`
  select account_id, month, feed_id, sum(attempts)::int as attempts, sum(demo_attempts)::int as demo,
    sum(succeeded)::int as succeeded, sum(failed)::int as failed, sum(skipped)::int as skipped,
    sum(streamed)::int as streamed, sum(demo_streamed)::int as "demoStreamed"
  from usage group by 1, 2, 3 order by 1, 2, 3`;

test('the days of old months are merged, those of recent ones stay, and no count of a month changes', async () => {
  const monthDays = [MONTH_DETAIL_DAYS + 40, MONTH_DETAIL_DAYS + 1, MONTH_DETAIL_DAYS];
  for (const [nth, days] of monthDays.entries()) {
    await sql`
      insert into usage (
        account_id, month, day, feed_id, attempts, demo_attempts, succeeded, failed, skipped, streamed, demo_streamed
      )
      select account, ${new Date(NOW_MS - days * DAY_MS)}, day, feed, day + 1, 2 * day, 3 * day, 4 * day, 5 * day, 6 * day, 7 * day
      from unnest('{acc_1,acc_2}'::text[]) account, unnest('{lap.count,timing.data}'::text[]) feed,
        generate_series(${nth}::int, 31) day`;
  }
  const before = await months();
  // Of the first month there is a part without a day already, which is not taken away.
  assert.equal(await mergeUsageDays(sql, NOW_MS, pace), 2 * 2 * 31 * 2);
  assert.deepEqual(await months(), before);
  const left =
    await sql`select month, count(*)::int as rows, max(day) as last from usage group by month order by month`;
  assert.deepEqual(
    left.map(({ rows, last }) => [rows, last]),
    [
      [4, 0],
      [4, 0],
      [4 * 30, 31],
    ],
  );
  assert.equal(await mergeUsageDays(sql, NOW_MS, pace), 0);
});
