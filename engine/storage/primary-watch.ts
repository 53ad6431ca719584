// Notices in time that another server of a group has become the primary, also when the old one does not answer any more
// or still takes writes. Then all clients of the process leave the old one (client-socket.ts, CO4). A service has one
// watch; a command, which is short, has none.

import type { TimerClock } from '#engine/base/clock.ts';
import { DATABASE_PRIMARY_LOOK_MS, DATABASE_PRIMARY_SILENCE_MS, DATABASE_QUICK_END_S } from '#engine/base/limits.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { connect, findWriting, inTime } from './postgres-client.ts';
import { doubtPrimary, primaryOf } from './server-group.ts';

const PULSE_MS = 500;

/** Watches until the returned function is called. With settings that name one server, there is nothing to watch. */
export function watchPrimary(connection: ConnectionSettings, clock: TimerClock): () => Promise<void> {
  const { group } = connection;
  if (group === undefined) return async () => {};
  const sql = connect(connection, {
    max: 1,
    name: 'primary-watch',
    clock,
    kept: true,
    silenceMsMax: DATABASE_PRIMARY_SILENCE_MS,
  });
  let lookedMs = clock.nowMs();
  const look = async (): Promise<void> => {
    await findWriting(connection, DATABASE_PRIMARY_SILENCE_MS, clock).catch(() => {});
    lookedMs = clock.nowMs();
  };
  const stop = clock.every(PULSE_MS, async () => {
    const { index, token } = primaryOf(group);
    if (index === null || clock.nowMs() - lookedMs >= DATABASE_PRIMARY_LOOK_MS) return look();
    // Also while it connects, which the limit of the client does not cover.
    await inTime(sql`select 1`, DATABASE_PRIMARY_SILENCE_MS, clock).catch(() => {
      doubtPrimary(group, token);
      return look();
    });
  });
  return async () => {
    stop();
    await sql.end({ timeout: DATABASE_QUICK_END_S });
  };
}
