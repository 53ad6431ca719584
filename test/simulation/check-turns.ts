// Checks what accounts share of a shard.
//
// Turns (S8): an update of a live session makes all actors of a shard ready at once. Before an account's first attempt for
// it, every other account has made about one; before its second one, two; and so on.
//
// Slots (S9): an account that keeps up finds one at once, however many another one would take.

import { SNAPSHOTS_FROM } from '#engine/timeline/snapshot-number.ts';
import { attemptName } from './check-attempts.ts';
import type { SeenAttempt } from './observed.ts';
import type { World } from './world.ts';

/** Attempts of another account that may come first: of turns that began before, with more than one attempt each. */
const AHEAD_MAX = 16;

/** How late a first attempt may be in an account whose receivers are fast, while another one needs all slots. */
const SLOT_WAIT_MS_MAX = 1_000;

export function checkSlots({ observed, scenario, customers }: World): void {
  if (scenario.slots >= scenario.endpoints.length) return;
  for (const seen of observed.attempts) {
    const { attempt, sequence, startedAtMs, endpoint } = seen;
    if (attempt > 1 || sequence > SNAPSHOTS_FROM || customers.planOf(endpoint).temper !== 'fast') continue;
    const dueMs = observed.published.find(({ length }) => length >= sequence)!.atMs;
    if (startedAtMs - dueMs > SLOT_WAIT_MS_MAX)
      observed.violated(`S9: a slot came after ${startedAtMs - dueMs} ms (${attemptName(seen)})`);
  }
}

export function checkTurns({ observed, scenario, customers }: World): void {
  // What is ready at the same moment is only known from outside while nothing fails or changes.
  if (scenario.events.length > 0 || scenario.endpoints.some(({ temper }) => temper !== 'fast')) return;
  const live = observed.attempts.filter(
    ({ attempt, sequence, runId }) =>
      attempt === 1 && sequence <= SNAPSHOTS_FROM && observed.runs.get(runId)!.mode === 'live',
  );
  const accountOf = ({ endpoint }: SeenAttempt): string => customers.planOf(endpoint).account;
  for (const attempts of Map.groupBy(live, ({ thread, sequence }) => `${thread} ${sequence}`).values()) {
    const made = new Map(attempts.map((attempt) => [accountOf(attempt), 0]));
    for (const attempt of attempts) {
      const account = accountOf(attempt);
      const own = made.get(account)!;
      const most = Math.max(...made.values());
      if (most > own + 1 + AHEAD_MAX)
        observed.violated(`S8: another account made ${most} attempts first (${attemptName(attempt)})`);
      made.set(account, own + 1);
    }
  }
}
