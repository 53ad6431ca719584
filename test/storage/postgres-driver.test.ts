// What the published driver gets wrong when a connection ends: statements that are never answered, and an exception that ends
// the process. Each of these tests fails with it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { connect } from '#engine/storage/postgres-client.ts';
import { withDatabase } from '#test/support/database.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';

const { database, sql } = await withDatabase({ after });
const one = connect(database.connection, { max: 1, name: 'ending' });
after(() => one.end({ timeout: 1 }));

async function breakOff(): Promise<void> {
  const busy = () =>
    sql`select from pg_stat_activity where application_name like '% ending' and query like '%pg_sleep%'`;
  while ((await busy()).length === 0) await pause(5);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% ending'`;
}

test('a statement handed to a connection that is just ending is answered, and the next connection works', {
  timeout: 20_000,
}, async () => {
  for (let times = 0; times < 5; times++) {
    const first = one`select pg_sleep(30)`.catch(() => one`select ${times}::int as value`.catch(() => 'refused'));
    await breakOff();
    await first;
    assert.deepEqual([...(await one`select ${times}::int as value`)], [{ value: times }]);
  }
});

test('a transaction that goes on after its connection has ended is refused, and the process lives', {
  timeout: 20_000,
}, async () => {
  const late: unknown[] = [];
  const transaction = one.begin(async (inside) => {
    await inside`select pg_sleep(30)`.catch(() => {});
    await pause(50);
    await inside`select 1`.catch((error: Error) => late.push(error));
  });
  await Promise.all([assert.rejects(transaction), breakOff()]);
  while (late.length === 0) await pause(5);
  assert.match(String(late[0]), /CONNECTION_DESTROYED/);
  assert.equal((await one`select 1`).length, 1);
});

test('P6: a statement to a server that has vanished fails in time, and those after it go over new connections', {
  timeout: 20_000,
}, async (t) => {
  const proxy = await DatabaseProxy.start(database.connection);
  const connection = parseDatabaseUrl(proxy.urlFor(database.connection.user, database.connection.database));
  const bounded = connect(connection, { max: 2, name: 'bounded', answerMsMax: 300 });
  const patient = connect(connection, { max: 1, name: 'patient' });
  t.after(async () => {
    await Promise.all([bounded.end({ timeout: 0 }), patient.end({ timeout: 0 })]);
    await proxy.close();
  });
  const pids = () => Promise.all([1, 2].map(() => bounded`select pg_backend_pid() as pid, pg_sleep(0.05)`));
  const before = new Set((await pids()).map(([row]) => row!.pid));
  assert.equal(before.size, 2);
  await pause(400);
  assert.ok(
    (await pids()).every(([row]) => before.has(row!.pid)),
    'idle, they live on',
  );
  await bounded`select generate_series(1, 6), pg_sleep(0.01)`;
  await patient`select 1`;
  proxy.vanish();
  const waiting = patient`select pg_sleep(0.4)`.catch(() => {});
  await assert.rejects(bounded`select 2`, { code: 'ETIMEDOUT' });
  await pause(20);
  assert.ok(
    (await pids()).every(([row]) => !before.has(row!.pid)),
    'both are new',
  );
  assert.equal(await Promise.race([waiting, pause(500, 'still waits')]), 'still waits');
});
