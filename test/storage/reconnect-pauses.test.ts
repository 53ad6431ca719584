import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';

const settings = parseDatabaseUrl('postgres://svc@127.0.0.1:9/svc');
const clients: Sql[] = [];
after(() => Promise.all(clients.map((sql) => sql.end({ timeout: 0 }))));

/** The pause before it connects again after this many failures, in seconds. */
function pauseAfter(failures: number, reconnectMsMax?: number): number {
  const sql = connect(settings, {
    max: 1,
    name: 'test',
    clock: systemClock,
    ...(reconnectMsMax && { reconnectMsMax }),
  });
  clients.push(sql);
  return (sql.options.backoff as (retries: number) => number)(failures);
}

test('pauses between tries to connect grow up to two seconds, or up to what a client asks for', () => {
  assert.deepEqual(
    [0, 3, 20].map((failures) => pauseAfter(failures)),
    [0.02, 0.16, 2],
  );
  assert.deepEqual(
    [0, 3, 20].map((failures) => pauseAfter(failures, 250)),
    [0.02, 0.16, 0.25],
  );
});
