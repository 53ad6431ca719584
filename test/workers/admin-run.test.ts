import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import { ApiClient, startService } from '#test/support/service-process.ts';

const dataDir = temporaryDataDir('database');
const admin = (...args: string[]) => runAdminCommand(dataDir, args);
const UNKNOWN = 'run_00000000000000000000000000';

test('an invalid command line says what is wrong, without touching the database', async () => {
  for (const [args, pattern] of [
    [['stop'], /RUN_ID is missing/],
    [['stop', 'wh_1'], /RUN_ID: "wh_1" is not the id of a run; "run list" shows those in progress/],
    [['stop', UNKNOWN, 'b'], /unexpected argument "b"/],
    [['list', 'all'], /unexpected argument "all"/],
  ] as const) {
    const { code, out, err } = await admin('run', ...args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, pattern);
  }
});

test('both commands have help', async () => {
  assert.match((await admin('run', '--help')).out, /run list[\s\S]*run stop/);
  assert.match((await admin('run', 'list', '--help')).out, /--account ACCOUNT[\s\S]*--json[\s\S]*Examples/);
  assert.match((await admin('run', 'stop', '--help')).out, /RUN_ID[\s\S]*30 seconds[\s\S]*Live runs[\s\S]*Example/);
});

test('an operator sees the runs in progress and stops one in the running service', async () => {
  const service = await startService(dataDir);
  try {
    const accounts: Record<string, string>[] = [];
    const runIds: string[] = [];
    for (const email of ['ada@example.com', 'bea@example.com']) {
      const account = JSON.parse((await admin('account', 'create', '--email', email, '--plan', 'custom')).out);
      const client = await ApiClient.open(service.address, account);
      await client.call('POST', '/webhooks', { webhookUrl: 'http://localhost:9/', feedId: 'timing.data' });
      await client.call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
      await client.until('/simulate/status?session=demo-race', ({ data }) => data.status === 'ready');
      const started = await client.call('GET', '/simulate/stream?session=demo-race&speed=0.1&sinks=webhook');
      accounts.push(account);
      runIds.push(started.body.data.runId);
    }
    const [bea] = accounts.slice(1);
    const all = JSON.parse((await admin('run', 'list')).out);
    assert.deepEqual(
      all.map(({ runId }: { runId: string }) => runId),
      runIds,
    );
    for (const account of ['BEA@example.com', bea!.accountId!]) {
      const [run, ...others] = JSON.parse((await admin('run', 'list', '--account', account)).out);
      assert.deepEqual(others, []);
      const { startedAt, artifactBytes, position, updateCount, ...rest } = run;
      assert.deepEqual(rest, {
        ...{ runId: runIds[1], mode: 'replay', state: 'running', accountId: bea!.accountId },
        ...{ email: 'bea@example.com', sessionId: 'demo-race', speed: 0.1, sinks: 'webhook', endpoints: 1 },
      });
      assert.ok(Date.parse(startedAt) <= Date.now() && artifactBytes > 100_000 && position < updateCount);
    }
    const table = await runAdminCommand(dataDir, ['run', 'list'], { interactive: true });
    assert.match(table.out, /^RUN +ACCOUNT +SESSION +MODE .*\nrun_\S+ +ada@example\.com +demo-race +replay +running /);

    const stopped = await admin('run', 'stop', runIds[1]!);
    assert.deepEqual([stopped.code, stopped.err], [0, '']);
    const told = { runId: runIds[1], accountId: bea!.accountId, sessionId: 'demo-race', state: 'stopped' };
    assert.deepEqual(JSON.parse(stopped.out), told);
    const left = JSON.parse((await admin('run', 'list')).out);
    assert.deepEqual(
      left.map(({ runId, state }: { runId: string; state: string }) => [runId, state]),
      [[runIds[0], 'running']],
    );
    // As for the owner, a second request changes nothing, and every update is accounted for.
    assert.deepEqual(JSON.parse((await admin('run', 'stop', runIds[1]!)).out), told);
    const owner = await ApiClient.open(service.address, bea!);
    const { state, endpoints } = (await owner.call('GET', `/simulate/runs/${runIds[1]}`)).body.data;
    assert.deepEqual([state, endpoints[0].pending], ['stopped', 0]);
  } finally {
    await service.end('SIGTERM');
  }
});

test('without a service, a run is marked as stopping, and the next start ends it (test/api/run-resumption.test.ts)', async () => {
  const [run] = JSON.parse((await admin('run', 'list')).out);
  const marked = await admin('run', 'stop', run.runId);
  assert.equal(marked.code, 0);
  assert.equal(marked.err, 'The service is not running: its next start ends this run without further deliveries.\n');
  assert.equal(JSON.parse(marked.out).state, 'stopping');
});

test('an unknown run and a live run are refused with their id and the next step', async (t) => {
  const database = await openTestDatabase(dataDir);
  t.after(() => database.close());
  const sql = database.connect(1);
  const live = `run_${'7'.repeat(26)}`;
  await sql`
    insert into run (run_id, account_id, session_id, mode, speed, sinks, state, update_count)
    select ${live}, account_id, '2026-monza-race', 'live', 1, 'webhook', 'running', 0 from account limit 1`;
  const unknown = await admin('run', 'stop', UNKNOWN);
  assert.deepEqual([unknown.code, unknown.out], [1, '']);
  assert.equal(unknown.err, `there is no run ${UNKNOWN}: "run list" shows those in progress\n`);
  const refused = await admin('run', 'stop', live);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.equal(refused.err, `${live} is the live delivery of 2026-monza-race: it ends with that session\n`);
  const listed = JSON.parse((await admin('run', 'list')).out).find(({ mode }: { mode: string }) => mode === 'live');
  assert.deepEqual([listed.runId, listed.mode, listed.state, listed.artifactBytes], [live, 'live', 'running', null]);
  await sql`update run set state = 'stopped'`;
  const none = await runAdminCommand(dataDir, ['run', 'list'], { interactive: true });
  assert.deepEqual([none.code, none.out, none.err], [0, '', 'No run is in progress.\n']);
});

test('an account that there is not has no empty list, but a message with the next step', async () => {
  for (const account of ['nobody@example.com', 'acc_0']) {
    const { code, out, err } = await admin('run', 'list', '--account', account);
    assert.deepEqual([code, out], [1, '']);
    assert.equal(err, `there is no account "${account}": give its owner's email address, or its id\n`);
  }
});
