// Kills the service for real while it reports overage to the payment provider: every other time just when the provider has
// counted an event that it has not answered yet. OVERAGE_KILLS=10 kills more often.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAccount } from '#api/accounts/account-creation.ts';
import { DEVELOPER_DELIVERIES_PER_MONTH } from '#api/plans/plan.ts';
import { systemClock } from '#engine/base/clock.ts';
import { seededRandom, systemRandomBytes } from '#engine/base/random.ts';
import { connect } from '#engine/storage/postgres-client.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import { openTestDatabase, silentLog, temporaryDataDir } from '#test/support/database.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';
import { eventually } from '#test/support/patience.ts';
import { type ServiceProcess, startService } from '#test/support/service-process.ts';
import { OVERAGE_PRICE_ID, withStripeMeter } from '#test/support/stripe-meter-server.ts';
import { STRIPE_SETTINGS } from '#test/support/stripe-server.ts';

const KILLS = Number(process.env.OVERAGE_KILLS ?? 2);
const ACCOUNTS = 4;
/** In this time a process reports all accounts. */
const REPORTING_MS = ACCOUNTS * 300;
const MAIN = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));
const NEARBY = new URL('../support/stripe-nearby.ts', import.meta.url).href;

const dataDir = temporaryDataDir();
// PostgreSQL is not killed with the service, so that a start takes less.
const server = await openTestDatabase(temporaryDataDir());
const owner = server.connect(1);
await owner`create role svc login`;
await owner`create database svc owner svc`;
const sql = connect({ ...server.connection, database: 'svc' }, { max: 1, name: 'looking on', clock: systemClock });
const proxy = await DatabaseProxy.start(server.connection);
const databaseUrl = proxy.urlFor('svc', 'svc');
const stripe = await withStripeMeter({ after }, Date.now);
after(async () => {
  await proxy.close();
  await sql.end({ timeout: 1 });
  await server.close();
});
const random = seededRandom(18);

function start(): Promise<ServiceProcess> {
  const { secretKey, webhookSecret, priceId } = STRIPE_SETTINGS;
  const settings = {
    DATABASE_URL: databaseUrl,
    SHARDS: '1',
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_PRICE_ID: priceId,
    STRIPE_OVERAGE_PRICE_ID: OVERAGE_PRICE_ID,
    STRIPE_NEARBY: `${stripe.api.host}:${stripe.api.port}`,
  };
  return startService(dataDir, settings, undefined, [process.execPath, '--import', NEARBY, MAIN]);
}

/** Kills the service at a random moment, or when the provider has counted an event that it has not answered. */
async function kill(service: ServiceProcess, isCounted: boolean): Promise<void> {
  if (!isCounted) {
    await pause(REPORTING_MS * random.next());
  } else {
    let left = random.next() < 0.5 ? 1 : 2;
    await new Promise<void>((resolve) => {
      stripe.counted = () => {
        if (--left === 0) resolve(void service.process.kill('SIGKILL'));
      };
    });
    stripe.counted = () => {};
  }
  await service.end('SIGKILL');
}

test(`OV1, OV2: kill -9 of the service ${KILLS} times while it reports overage: each attempt is counted once`, async (t) => {
  await (await openTestDatabase(dataDir, { databaseUrl })).close();
  const secretBox = new SecretBox(await loadSecretKey(dataDir, null, systemRandomBytes, silentLog), systemRandomBytes);
  const accounts: (readonly [accountId: string, customerId: string])[] = [];
  for (let index = 0; index < ACCOUNTS; index++) {
    const [email, customerId] = [`client-${index}@example.com`, `cus_${index}`];
    const { accountId } = await createAccount({ email, plan: 'developer' }, { sql, secretBox, clock: systemClock });
    await sql`
      update account set spend_cap_cents = 5000, stripe_customer_id = ${customerId} where account_id = ${accountId}`;
    stripe.customers.add(customerId);
    accounts.push([accountId, customerId]);
  }
  let used = 0;
  /** Every account makes ten more attempts, and an hour passes: they become a block. */
  const more = async (): Promise<void> => {
    used += 10;
    await sql`update overage_block set made_at = made_at - interval '1 hour'`;
    for (const [accountId] of accounts)
      await sql`
        insert into usage (account_id, month, feed_id, attempts)
        values (${accountId}, date_trunc('month', now() at time zone 'utc')::date, 'timing.data',
          ${BigInt(DEVELOPER_DELIVERIES_PER_MONTH + used)})
        on conflict (account_id, month, feed_id, day) do update set attempts = excluded.attempts`;
  };
  for (let kills = 0; kills < KILLS; kills++) {
    await more();
    await kill(await start(), kills % 2 === 0);
  }
  const service = await start();
  t.after(() => service.end('SIGTERM'));
  await eventually('everything is reported', async () => {
    const [left] = await sql`
      select count(*) filter (where state = 'due') as due, sum(value)::int as made from overage_block`;
    return Number(left!.due) === 0 && left!.made === ACCOUNTS * used;
  });
  for (const [, customerId] of accounts) assert.equal(stripe.billed(customerId), used, customerId);
  const blocks = await sql`select from overage_block`;
  assert.equal(stripe.events.length, blocks.length, 'one event for each block');
  t.diagnostic(`${blocks.length} blocks, ${stripe.requests.length} requests, ${stripe.events.length} events counted`);
  const differing = await sql`select * from overage_check where difference is not null`;
  assert.deepEqual([...differing], []);
});
