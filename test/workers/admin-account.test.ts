import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import { type AdminOutcome, startService } from '#test/support/service-process.ts';

const dataDir = temporaryDataDir('database');
const admin = (...args: string[]): Promise<AdminOutcome> => runAdminCommand(dataDir, args);

before(async () => (await openTestDatabase(dataDir)).close());

test('an invalid command line changes nothing and says why', async () => {
  for (const [args, pattern] of [
    [[], /EMAIL is missing/],
    [['ada@example.com'], /PLAN is missing/],
    [['ada@example.com', 'gold'], /"gold" is not a plan; the plans are free, developer, custom/],
    [
      ['ada@example.com', 'free', '--spend-cap', '12.5'],
      /"12.5" is not a number of whole dollars between 0 and 100000/,
    ],
    [['ada@example.com', 'free', '--spend-cap', '100001'], /--spend-cap: "100001"/],
    [['ada@example.com', 'free', '--spend-cap=-1'], /--spend-cap: "-1"/],
  ] as const) {
    const { code, out, err } = await admin('account', 'plan', ...args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, pattern);
  }
});

test('the help lists the terms of every plan', async () => {
  const { code, out } = await admin('account', 'plan', '--help');
  assert.equal(code, 0);
  assert.match(out, /free +developer +custom\n/);
  assert.match(out, /^deliveries per month +5,000 +50,000 +unlimited$/m);
  assert.match(out, /^requests per hour +600 +1,800 +36,000$/m);
  assert.match(out, /^previews +headline +full +full$/m);
});

test('a change of plan applies at once to a running service', async () => {
  const service = await startService(dataDir);
  try {
    const created = await admin('account', 'create', '--email', 'Ada@example.com', '--plan', 'free');
    const { accountId, clientId, clientSecret } = JSON.parse(created.out);
    const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const answer = await fetch(`${service.address}/v1/oauth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(grant),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const scores = async (): Promise<number> => {
      const path = `${service.address}/v1/fantasy/session/2026-miami-race/scores`;
      return (await fetch(path, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    assert.equal(await scores(), 403);

    const capped = await admin('account', 'plan', 'ada@EXAMPLE.com', 'developer', '--spend-cap', '200');
    assert.deepEqual([capped.code, capped.err], [0, '']);
    const plan = { accountId, email: 'Ada@example.com', plan: 'developer', spendCap: 200 };
    assert.deepEqual(JSON.parse(capped.out), plan);
    // The database notifies the service. The command does not wait for that.
    while ((await scores()) !== 200) await pause(20);

    const kept = await admin('account', 'plan', 'ada@example.com', 'custom');
    assert.deepEqual(JSON.parse(kept.out), { ...plan, plan: 'custom' });
    const nothing = await admin('account', 'plan', 'ada@example.com', 'free', '--spend-cap', '0');
    assert.deepEqual(JSON.parse(nothing.out), { ...plan, plan: 'free', spendCap: 0 });
  } finally {
    await service.end('SIGTERM');
  }
});

test('an address without an account gives one line and exit code 1', async () => {
  const { code, out, err } = await admin('account', 'plan', 'nobody@example.com', 'free');
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /^there is no account for "nobody@example.com": "account create" makes one\n$/);
});
