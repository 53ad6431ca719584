// Finds the server of a group that takes writes.
//
// PF1 All servers are asked at the same time, and each has the same bounded time. So one that does not answer at all
//     holds nothing up while another takes writes, but for a short grace in which a newer primary may answer.
// PF2 Of several that say that they take writes, the one on the newest timeline is believed: the others were replaced
//     and do not know it yet.
// PF3 Once a timeline is known, no server on an older one is used again.
// PF4 While some servers are silent, those that take no writes are asked again: one of them may be promoted meanwhile.

import type { TimerClock } from '#engine/base/clock.ts';
import { DATABASE_ROLE_FIRST_GRACE_MS, DATABASE_ROLE_GRACE_MS } from '#engine/base/limits.ts';
import { announcePrimary, newestTimeline, primaryOf, type ServerGroup, serverText } from './server-group.ts';

/** What a server says of itself. */
export type ServerRole =
  | { readonly kind: 'primary'; readonly timeline: number }
  /** `reason`: a clause that names the server and says why it takes no writes. */
  | { readonly kind: 'other' | 'failed'; readonly reason: string };

/** Asks the server with this index. Answers within `waitMs` and does not throw. */
export type AskServer = (index: number, waitMs: number) => Promise<ServerRole>;

/** No server of the group takes writes. The message names each and says why. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  readonly code = 'NO_PRIMARY';

  constructor(reasons: readonly string[]) {
    super(`no server takes writes: ${reasons.join('; ')}`);
  }
}

/** Returns the index of the server that takes writes, and tells all threads. Throws NoPrimary. */
export async function findPrimary(
  group: ServerGroup,
  ask: AskServer,
  waitMs: number,
  clock: TimerClock,
): Promise<number> {
  const endMs = clock.nowMs() + waitMs;
  const roles: (ServerRole | null)[] = group.servers.map(() => null);
  const over = Promise.withResolvers<void>();
  let cancelGrace: (() => void) | null = null;
  const graceMs = newestTimeline(group) === 0 ? DATABASE_ROLE_FIRST_GRACE_MS : DATABASE_ROLE_GRACE_MS;
  const heard = (index: number, role: ServerRole): void => {
    roles[index] = role;
    if (roles.every((known) => known !== null)) over.resolve();
    else if (role.kind === 'primary') cancelGrace ??= clock.schedule(graceMs, over.resolve);
  };
  const question = async (index: number): Promise<void> => {
    heard(index, await ask(index, waitMs));
    while (roles.includes(null) && roles[index]?.kind === 'other') {
      await clock.sleep(DATABASE_ROLE_GRACE_MS);
      const leftMs = endMs - clock.nowMs();
      if (leftMs <= 0 || !roles.includes(null)) return;
      heard(index, await ask(index, leftMs));
    }
  };
  for (const index of group.servers.keys()) void question(index);
  await over.promise;
  (cancelGrace as (() => void) | null)?.();
  return chosen(group, roles);
}

function chosen(group: ServerGroup, roles: readonly (ServerRole | null)[]): number {
  const known = primaryOf(group).index;
  let best: { index: number; timeline: number } | null = null;
  for (const [index, role] of roles.entries()) {
    if (role?.kind !== 'primary' || role.timeline < newestTimeline(group)) continue;
    const isBetter = best === null || role.timeline > best.timeline;
    if (isBetter || (role.timeline === best?.timeline && index === known)) best = { index, timeline: role.timeline };
  }
  if (best === null) {
    throw new NoPrimary(group.servers.map((server, index) => reasonOf(serverText(server), roles[index]!, group)));
  }
  announcePrimary(group, best.index, best.timeline);
  return best.index;
}

function reasonOf(server: string, role: ServerRole | null, group: ServerGroup): string {
  if (role === null) return `${server} does not answer`;
  if (role.kind !== 'primary') return role.reason;
  const newest = newestTimeline(group);
  return `${server} takes writes on timeline ${role.timeline}, but has been replaced: there is timeline ${newest}`;
}
