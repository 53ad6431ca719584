// Webhook endpoints in PostgreSQL.

import { withIndexLookups, withIndexOrder } from '#engine/storage/index-lookups.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { CoverageRecord, NewWebhook, WebhookRecord, WebhookStore } from './webhook-store.ts';

export function postgresWebhookStore(sql: Sql): WebhookStore {
  const coverage = sql`
    w.webhook_id as "webhookId", w.account_id as "accountId",
    (select plan from account a where a.account_id = w.account_id) as plan,
    w.series_id as "seriesId", w.active, w.feed_patterns as "feedPatterns",
    (
      select coalesce(jsonb_agg(
        jsonb_build_object('feedId', s.feed_id, 'filters', s.filters, 'active', s.active, 'place', s.place)
        order by s.place
      ), '[]')
      from subscription s where s.webhook_id = w.webhook_id
    ) as subscriptions`;
  const columns = sql`
    ${coverage}, w.webhook_no as "webhookNo", w.url, w.method, w.filters, w.secret_sealed as "secretSealed",
    w.previous_secret_sealed as "previousSecretSealed", w.rotated_at as "rotatedAt", w.previous_since as "previousSince",
    w.headers_sealed as "headersSealed", w.description, w.snapshot, w.created_at as "createdAt",
    w.updated_at as "updatedAt", w.deleted_at as "deletedAt"`;
  const ofAccount = (accountId: string) => sql`account_id = ${accountId} and deleted_at is null`;
  const oldestFirst = sql`order by created_at, webhook_no`;

  type Last = Pick<WebhookRecord, 'webhookId' | 'rank'> | null;
  /** The rank of the endpoints after `last`, and where they are selected from. */
  const after = (accountId: string, last: Last, limit: number) => {
    const place = sql`(select created_at, webhook_no from webhook where webhook_id = ${last?.webhookId ?? ''})`;
    const isAfter = last === null ? sql`` : sql`and (created_at, webhook_no) > ${place}`;
    return sql`
      ${last?.rank ?? -1}::int + row_number() over (${oldestFirst})::int as rank
      from (select * from webhook where ${ofAccount(accountId)} ${isAfter} ${oldestFirst} limit ${limit}) w
      ${oldestFirst}`;
  };

  return {
    async insert(accountId, webhooks, endpointsMax) {
      const given = sql.json(webhooks.map(rowOf) as never);
      return sql.begin(async (transaction) => {
        // The lock makes concurrent inserts wait, so each counts the ones before it.
        await transaction`select from account where account_id = ${accountId} for update`;
        const rows = await transaction`
          with given as (
            select * from jsonb_to_recordset(${given}) as given(
              place integer, "webhookId" text, url text, method text, "seriesId" text, filters jsonb, "feedPatterns" jsonb,
              "secretSealed" text, "headersSealed" text, description text, snapshot boolean, "createdAt" timestamptz,
              subscriptions jsonb
            )
          ), inserted as (
            insert into webhook
              (webhook_id, account_id, url, method, series_id, filters, feed_patterns, secret_sealed, headers_sealed, description,
                snapshot, created_at, updated_at)
            select "webhookId", ${accountId}, url, method, "seriesId", filters, "feedPatterns", decode("secretSealed", 'hex'),
              decode("headersSealed", 'hex'), description, snapshot, "createdAt", "createdAt"
            from given
            where place < ${endpointsMax} - (select count(*) from webhook where account_id = ${accountId} and deleted_at is null)
            order by place
            returning webhook_id
          ), subscribed as (
            insert into subscription (webhook_id, feed_id, place, filters)
            select webhook_id, feed."feedId", feed.place, coalesce(feed.filters, '{}')
            from inserted join given on given."webhookId" = webhook_id,
              jsonb_to_recordset(given.subscriptions) as feed("feedId" text, place integer, filters jsonb)
          )
          select webhook_id from inserted`;
        return rows.length;
      });
    },

    async list(accountId, limit, offset) {
      return withIndexOrder(
        sql,
        (transaction) => transaction<WebhookRecord[]>`
          select ${columns}, ${offset}::int + row_number() over (${oldestFirst})::int - 1 as rank
          from (
            select * from webhook where ${ofAccount(accountId)} ${oldestFirst} limit ${limit} offset ${offset}
          ) w ${oldestFirst}`,
      );
    },

    async listAfter(accountId, last, limit) {
      return withIndexOrder(
        sql,
        (transaction) => transaction<WebhookRecord[]>`select ${columns}, ${after(accountId, last, limit)}`,
      );
    },

    async coverageAfter(accountId, last, limit) {
      return withIndexOrder(
        sql,
        (transaction) => transaction<CoverageRecord[]>`select ${coverage}, ${after(accountId, last, limit)}`,
      );
    },

    async count(accountId) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from webhook where account_id = ${accountId} and deleted_at is null`;
      return row!.count;
    },

    async find(accountId, webhookId) {
      const [row] = await sql<WebhookRecord[]>`
        select ${columns}, (
          select count(*)::int from webhook older
          where older.account_id = w.account_id and older.deleted_at is null
            and (older.created_at, older.webhook_no) < (w.created_at, w.webhook_no)
        ) as rank
        from webhook w
        where webhook_id = ${webhookId} and account_id = ${accountId} and deleted_at is null`;
      return row ?? null;
    },

    async findAll(webhookIds) {
      const asked = webhookIds as string[];
      // Ranks are told before the rows are picked, in one pass without a join: however wrong the server takes the number of
      // endpoints to be, as it does while they are new, it finds no way to compare each with each.
      return withIndexLookups(
        sql,
        (transaction) => transaction<WebhookRecord[]>`
          select ${columns}, rank
          from (
            select *, row_number() over (partition by account_id order by created_at, webhook_no)::int - 1 as rank
            from webhook
            where deleted_at is null
              and account_id = any(array(select distinct account_id from webhook where webhook_id = any(${asked})))
            union all
            select *, 0 as rank from webhook where deleted_at is not null and webhook_id = any(${asked})
          ) w
          where webhook_id = any(${asked}) order by webhook_no`,
      );
    },

    async activeIds(accountId, coveredMax) {
      const rows = await withIndexLookups(
        sql,
        (transaction) => transaction<{ webhookId: string }[]>`
          select webhook_id as "webhookId" from (
            select webhook_id, active from webhook where account_id = ${accountId} and deleted_at is null
            order by created_at, webhook_no limit ${coveredMax}
          ) covered where active`,
      );
      return rows.map(({ webhookId }) => webhookId);
    },

    async patch(accountId, webhookId, { active, url, method, filters, feeds, description, headers, snapshot }, now) {
      const places = feeds?.subscriptions.map((subscription, place) => ({ ...subscription, place })) ?? [];
      return sql.begin(async (transaction) => {
        const rows = await transaction`
          update webhook set active = coalesce(${active}::boolean, active), url = coalesce(${url}::text, url),
            method = coalesce(${method}::text, method),
            filters = coalesce(${filters === null ? null : sql.json(filters as never)}::jsonb, filters),
            series_id = coalesce(${feeds?.seriesId ?? null}::text, series_id),
            feed_patterns = coalesce(${feeds === null ? null : sql.json(feeds.feedPatterns as never)}::jsonb, feed_patterns),
            description = coalesce(${description}::text, description),
            snapshot = coalesce(${snapshot}::boolean, snapshot),
            headers_sealed = case when ${headers !== null} then ${headers?.sealed ?? null}::bytea else headers_sealed end,
            updated_at = ${now}
          where webhook_id = ${webhookId} and account_id = ${accountId} and deleted_at is null
          returning webhook_id`;
        if (rows.length === 0 || feeds === null) return rows.length === 1;
        // The row that was just updated keeps other changes of this endpoint out until the end of the transaction.
        await transaction`
          delete from subscription where webhook_id = ${webhookId} and not feed_id = any(${feeds.feedIds as string[]})`;
        await transaction`update subscription set place = null where webhook_id = ${webhookId}`;
        await transaction`
          insert into subscription (webhook_id, feed_id, place, filters)
          select ${webhookId}, given."feedId", given.place, coalesce(given.filters, '{}')
          from jsonb_to_recordset(${sql.json(places as never)}) as given("feedId" text, place integer, filters jsonb)
          on conflict (webhook_id, feed_id) do update set place = excluded.place`;
        await transaction`
          update subscription set filters = given.filters
          from jsonb_to_recordset(${sql.json(places as never)}) as given("feedId" text, filters jsonb)
          where webhook_id = ${webhookId} and feed_id = given."feedId" and given.filters is not null`;
        return true;
      });
    },

    async patchSubscription(accountId, webhookId, feedId, { active, filters }, now) {
      const given = filters === null ? null : sql.json(filters as never);
      const rows = await sql`
        with changed as (
          insert into subscription (webhook_id, feed_id, active, filters)
          select webhook_id, ${feedId}, coalesce(${active}::boolean, true), coalesce(${given}::jsonb, '{}')
          from webhook where webhook_id = ${webhookId} and account_id = ${accountId} and deleted_at is null
          on conflict (webhook_id, feed_id) do update set active = coalesce(${active}::boolean, subscription.active),
            filters = coalesce(${given}::jsonb, subscription.filters)
          returning webhook_id
        )
        update webhook set updated_at = ${now} from changed where webhook.webhook_id = changed.webhook_id
        returning webhook.webhook_id`;
      return rows.length === 1;
    },

    async rotateSecret(accountId, webhookId, secretSealed, now) {
      const rows = await sql`
        update webhook set previous_secret_sealed = secret_sealed, previous_since = coalesce(rotated_at, created_at),
          secret_sealed = ${secretSealed}, rotated_at = ${now}, updated_at = ${now}
        where webhook_id = ${webhookId} and account_id = ${accountId} and deleted_at is null
        returning webhook_id`;
      return rows.length === 1;
    },

    async deletedInRuns(accountId) {
      const rows = await sql<{ webhookId: string }[]>`
        select distinct webhook_id as "webhookId"
        from run r join run_endpoint using (run_id) join webhook w using (webhook_id)
        where r.account_id = ${accountId} and r.state in ('running', 'stopping') and w.deleted_at is not null`;
      return rows.map(({ webhookId }) => webhookId);
    },

    async delete(accountId, webhookId, now) {
      const rows = await sql`
        update webhook set deleted_at = ${now}, updated_at = ${now}
        where webhook_id = ${webhookId} and account_id = ${accountId} and deleted_at is null
        returning webhook_id`;
      return rows.length === 1;
    },
  };
}

/** As JSON, in which bytes are hexadecimal text. */
function rowOf({ secretSealed, headersSealed, description, subscriptions, ...webhook }: NewWebhook, place: number) {
  return {
    ...webhook,
    place,
    secretSealed: secretSealed.toString('hex'),
    headersSealed: headersSealed?.toString('hex') ?? null,
    // Half of a character is none: the server would refuse it within JSON.
    description: description.toWellFormed(),
    subscriptions: subscriptions.map((subscription, place) => ({ ...subscription, place })),
  };
}
