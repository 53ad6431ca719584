// Housekeeping: makes the next days of the delivery log, and removes what is past its retention. What fails is logged
// and left to the next pass; one failure holds up nothing else.

import { HOUSE_CLOCK_STEP_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { purgeUnverifiedAccounts } from './account-retention.ts';
import { houseTime } from './house-clock.ts';
import { expireLog } from './log-retention.ts';
import { ensurePartitions, LOG_PAGES, PARTITION_DAYS } from './partitions.ts';
import type { Sql } from './postgres-client.ts';
import type { Pace } from './purge-batches.ts';
import { purgeRows } from './row-retention.ts';
import { purgeOldRuns, type RunRetention, trimRuns } from './run-retention.ts';
import { errorText } from './storage-error.ts';
import { mergeUsageDays } from './usage-retention.ts';

export interface HousekeepingParts {
  readonly sql: Sql;
  readonly pace: Pace;
  readonly log: Log;
  /** Null: nothing is ever removed. */
  readonly retention: RunRetention | null;
}

type Removed = Record<string, number | readonly string[]>;

/** Without these partitions pages go to the default one, so a failure (a backup holds the tables) can wait. */
export async function makeDays({ sql, pace, log }: HousekeepingParts): Promise<void> {
  await ensurePartitions(sql, LOG_PAGES, pace.clock.wallMs(), PARTITION_DAYS).catch((error) => {
    log.warn(
      { error: errorText(error) },
      'cannot make the next day partitions of the delivery log; trying again within an hour',
    );
  });
}

/**
 * Removes what is past its retention. `starting` is true for the first pass of a process, which does not move the house
 * clock on (HK2). Never rejects.
 */
export async function removeExpired(parts: HousekeepingParts, starting: boolean): Promise<void> {
  const { sql, pace, log, retention } = parts;
  if (retention === null) return;
  const removed: Removed = {};
  const attempt = async (problem: string, work: () => Promise<Removed>): Promise<void> => {
    if (pace.isClosing()) return;
    try {
      for (const [what, count] of Object.entries(await work())) {
        if (typeof count === 'number' ? count > 0 : count.length > 0) removed[what] = count;
      }
    } catch (error) {
      // What the end of the process interrupts is left to the next one.
      if (!pace.isClosing()) log.warn({ error: errorText(error) }, `${problem}; trying again within an hour`);
    }
  };
  const purge = (work: () => Promise<Removed>) => attempt('cannot remove what is past its retention', work);
  let houseMs: number | null = null;
  await purge(async () => {
    houseMs = await houseTime(sql, pace.clock.wallMs(), starting ? 0 : HOUSE_CLOCK_STEP_MS);
    return {};
  });
  if (houseMs === null) return;
  const untilMs: number = houseMs;
  await attempt('cannot drop old deliveries', async () => ({ days: await expireLog(sql, untilMs, retention.logDays) }));
  await purge(() => purgeRows(sql, untilMs, pace));
  await purge(async () => ({ usageDays: await mergeUsageDays(sql, untilMs, pace) }));
  await purge(async () => ({ account: await purgeUnverifiedAccounts(sql, untilMs, pace) }));
  await purge(async () => ({ run: await purgeOldRuns(sql, untilMs, retention, pace) }));
  await purge(async () => ({ trimmed: await trimRuns(sql, pace) }));
  if (Object.keys(removed).length > 0) log.info(removed, 'removed what was past its retention');
}
