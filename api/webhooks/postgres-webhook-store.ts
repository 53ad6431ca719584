// Webhook endpoints in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

export function postgresWebhookStore(sql: Sql): WebhookStore {
  const columns = sql`
    w.webhook_id as "webhookId", w.webhook_no as "webhookNo", w.account_id as "accountId", w.url, w.method,
    w.series_id as "seriesId", w.active, w.filters, w.secret_sealed as "secretSealed",
    w.previous_secret_sealed as "previousSecretSealed", w.rotated_at as "rotatedAt", w.created_at as "createdAt",
    w.updated_at as "updatedAt", w.deleted_at as "deletedAt",
    (
      select coalesce(jsonb_agg(
        jsonb_build_object('feedId', s.feed_id, 'filters', s.filters, 'active', s.active) order by s.place
      ), '[]')
      from subscription s where s.webhook_id = w.webhook_id
    ) as subscriptions`;

  return {
    async insert({ webhookId, accountId, url, method, seriesId, filters, secretSealed, createdAt, subscriptions }) {
      const places = subscriptions.map((subscription, place) => ({ ...subscription, place }));
      await sql`
        with inserted as (
          insert into webhook
            (webhook_id, account_id, url, method, series_id, filters, secret_sealed, created_at, updated_at)
          values (${webhookId}, ${accountId}, ${url}, ${method}, ${seriesId}, ${sql.json(filters as never)},
            ${secretSealed}, ${createdAt}, ${createdAt})
          returning webhook_id
        )
        insert into subscription (webhook_id, feed_id, place, filters)
        select webhook_id, given."feedId", given.place, given.filters
        from inserted, jsonb_to_recordset(${sql.json(places as never)}) as given("feedId" text, place integer, filters jsonb)`;
    },

    async list(accountId, limit, offset) {
      return sql<WebhookRecord[]>`
        select ${columns} from webhook w where account_id = ${accountId} and deleted_at is null
        order by created_at, webhook_no limit ${limit} offset ${offset}`;
    },

    async count(accountId) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from webhook where account_id = ${accountId} and deleted_at is null`;
      return row!.count;
    },

    async find(accountId, webhookId) {
      const [row] = await sql<WebhookRecord[]>`
        select ${columns} from webhook w
        where webhook_id = ${webhookId} and account_id = ${accountId} and deleted_at is null`;
      return row ?? null;
    },

    async findNumber(accountId, webhookId) {
      const [row] = await sql<{ webhookNo: number }[]>`
        select webhook_no as "webhookNo" from webhook where webhook_id = ${webhookId} and account_id = ${accountId}`;
      return row?.webhookNo ?? null;
    },

    async findAll(webhookIds) {
      return sql<WebhookRecord[]>`
        select ${columns} from webhook w where webhook_id = any(${webhookIds as string[]}) order by webhook_no`;
    },

    async patch(accountId, webhookId, { active, url, method, filters }, now) {
      const rows = await sql`
        update webhook set active = coalesce(${active}::boolean, active), url = coalesce(${url}::text, url),
          method = coalesce(${method}::text, method),
          filters = coalesce(${filters === null ? null : sql.json(filters as never)}::jsonb, filters), updated_at = ${now}
        where webhook_id = ${webhookId} and account_id = ${accountId} and deleted_at is null
        returning webhook_id`;
      return rows.length === 1;
    },

    async patchSubscription(accountId, webhookId, feedId, { active, filters }, now) {
      const rows = await sql`
        with changed as (
          update subscription s set active = coalesce(${active}::boolean, s.active),
            filters = coalesce(${filters === null ? null : sql.json(filters as never)}::jsonb, s.filters)
          from webhook w
          where s.webhook_id = ${webhookId} and s.feed_id = ${feedId}
            and w.webhook_id = s.webhook_id and w.account_id = ${accountId} and w.deleted_at is null
          returning s.webhook_id
        )
        update webhook set updated_at = ${now} from changed where webhook.webhook_id = changed.webhook_id
        returning webhook.webhook_id`;
      return rows.length === 1;
    },

    async rotateSecret(accountId, webhookId, secretSealed, now) {
      const rows = await sql`
        update webhook set previous_secret_sealed = secret_sealed, secret_sealed = ${secretSealed}, rotated_at = ${now},
          updated_at = ${now}
        where webhook_id = ${webhookId} and account_id = ${accountId} and deleted_at is null
        returning webhook_id`;
      return rows.length === 1;
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
