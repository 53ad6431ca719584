// Lets go of accounts that are to have another home: of everything that this node does for them.

import type { IsOurs } from '#api/http/homes.ts';
import type { Resends } from '#api/resends/resends.ts';
import type { Runs } from '#api/simulate/runs.ts';
import type { Streams } from '#api/streams/streams.ts';
import type { Allowances } from '#api/usage/allowances.ts';
import type { LiveDeliveries } from '#api/webhooks/live/live-deliveries.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { HANDOVER_LOOK_MS, HANDOVER_MS_MAX } from '#engine/base/limits.ts';

export interface WorkForAccounts {
  readonly streams: Pick<Streams, 'letGo'>;
  readonly runs: Pick<Runs, 'letGo'>;
  readonly resends: Pick<Resends, 'letGo'>;
  readonly live: Pick<LiveDeliveries, 'letGo'>;
  readonly allowances: Pick<Allowances, 'holdsAny'>;
  readonly clock: TimerClock;
}

/** Resolves with whether, in time, nothing of these accounts is under way and everything is recorded. */
export async function letGo({ streams, runs, resends, live, allowances, clock }: WorkForAccounts, isTheirs: IsOurs) {
  const untilMs = clock.nowMs() + HANDOVER_MS_MAX;
  streams.letGo(isTheirs);
  const waiting = new AbortController();
  const late = clock.sleep(HANDOVER_MS_MAX, waiting.signal).then(
    () => false,
    () => false,
  );
  const parked = Promise.all([runs.letGo(isTheirs), resends.letGo(isTheirs), live.letGo(isTheirs)]).then(() => true);
  const isInTime = await Promise.race([parked, late]);
  waiting.abort();
  if (!isInTime) return false;
  // What tests and streams took from an allowance is recorded a moment later.
  while (allowances.holdsAny(isTheirs)) {
    if (clock.nowMs() >= untilMs) return false;
    await clock.sleep(HANDOVER_LOOK_MS);
  }
  return true;
}
