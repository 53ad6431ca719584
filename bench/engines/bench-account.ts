// An account with endpoints, for benches that need no API to create them.

import { randomBytes } from 'node:crypto';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

const ONE_FEED: readonly string[] = ['timing.data'];

/** Creates a new account and returns an endpoint of it for each URL. */
export async function createEndpoints(
  sql: Sql,
  urls: readonly string[],
  feedIds: readonly string[] = ONE_FEED,
): Promise<readonly EndpointSettings[]> {
  const accountId = newId('acc', Date.now(), systemRandomBytes);
  await sql`insert into account (account_id, email, plan, client_id, client_secret_sealed)
    values (${accountId}, ${`${accountId}@bench.invalid`}, 'custom', ${newId('cli', Date.now(), systemRandomBytes)}, ''::bytea)`;
  return endpointsAt(accountId, urls, feedIds);
}

/** Returns an endpoint for each URL, each with its own secret. */
export function endpointsAt(
  accountId: string,
  urls: readonly string[],
  feedIds: readonly string[] = ONE_FEED,
): readonly EndpointSettings[] {
  const subscriptions = feedIds.map((feedId) => ({ feedId, filters: {}, active: true }));
  return urls.map((url, index) => ({
    webhookId: newId('wh', Date.now(), systemRandomBytes),
    webhookNo: index + 1,
    accountId,
    url,
    method: 'post',
    active: true,
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    previousSecret: null,
    headerLines: '',
    filters: {},
    subscriptions,
  }));
}
