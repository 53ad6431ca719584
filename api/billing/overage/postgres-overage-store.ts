// Overage in PostgreSQL.

import {
  OVERAGE_BLOCK_MS,
  OVERAGE_BLOCKS_MADE_MAX,
  OVERAGE_LEDGERS_MAX,
  OVERAGE_REFUSAL_CHARS_MAX,
  OVERAGE_REFUSED_MS,
  OVERAGE_RESEND_MS,
  OVERAGE_SETTLE_MS,
} from '#engine/base/limits.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { BegunBlock, OverageBlock, OverageLedger, OverageStore, OverageTotals } from './overage-store.ts';
import {
  billedAttempts,
  billedPlans,
  firstOpenDay,
  openMonths,
  openMonthsOfCustomers,
} from './postgres-billed-attempts.ts';

interface LedgerRow extends Omit<OverageLedger, 'trying' | 'check'> {
  readonly value: number | null;
  readonly begunAt: Date | null;
  readonly triedAt: Date | null;
  readonly checkedAt: Date | null;
  readonly difference: NonNullable<OverageLedger['check']>['difference'];
}

export function postgresOverageStore(sql: Sql): OverageStore {
  const isBlock = ({ accountId, month, block }: OverageBlock) =>
    sql`account_id = ${accountId} and month = ${month}::date and block = ${block}`;
  const tried = (accountId: string, month: string) =>
    sql`account_id = ${accountId} and month = ${month}::date and state = 'due' and begun_at is not null`;
  const fields = sql`account_id as "accountId", month::text as month, block, customer_id as "customerId",
    value::float8 as value`;

  return {
    async make(now) {
      const { count } = await sql`
        insert into overage_block (account_id, month, block, customer_id, value, made_at)
        select b.account_id, b.month, coalesce(made.blocks, 0) + 1, b.customer_id,
          least(billable, covered) - coalesce(made.value, 0), ${now}
        from (${billedAttempts(sql, openMonthsOfCustomers(sql, now))}) b
        left join lateral (
          select max(block) as blocks, sum(value)::bigint as value, max(made_at) as at from overage_block o
          where o.account_id = b.account_id and o.month = b.month
        ) made on true
        where least(billable, covered) > coalesce(made.value, 0)
          and (made.at is null or made.at <= ${before(now, OVERAGE_BLOCK_MS)} or b.plan <> all(${billedPlans()}::text[])
            or b.month < ${monthOf(now.getTime()).firstDay}::date)
        order by b.account_id, b.month limit ${OVERAGE_BLOCKS_MADE_MAX}
        on conflict do nothing`;
      return count;
    },

    async lapse(now) {
      return sql<OverageBlock[]>`
        update overage_block set state = 'lapsed'
        where state = 'due' and month < ${firstOpenDay(now)}::date
        returning ${fields}`;
    },

    async ledgers(after, now) {
      const rows = await sql<LedgerRow[]>`
        select b.account_id as "accountId", b.month::text as month, array_agg(distinct b.customer_id) as "customerIds",
          coalesce(sum(b.value) filter (where state in ('sent', 'confirmed')), 0)::float8 as reported,
          coalesce(sum(b.value) filter (where state = 'due' and made_at > ${before(now, OVERAGE_SETTLE_MS)}), 0)::float8
            as waiting,
          sum(b.value)::float8 as made,
          max(b.sent_at) filter (where state = 'sent') as "sentAt",
          (min(b.value) filter (where state = 'due' and begun_at is not null))::float8 as value,
          min(b.begun_at) filter (where state = 'due') as "begunAt",
          max(b.tried_at) filter (where state = 'due' and begun_at is not null) as "triedAt",
          c.checked_at as "checkedAt", c.difference
        from overage_block b left join overage_check c using (account_id, month)
        where ${openMonths(sql, now)}
          and (b.account_id, b.month) > (${after?.accountId ?? ''}, ${after?.month ?? '-infinity'}::text::date)
        group by b.account_id, b.month, c.checked_at, c.difference
        order by b.account_id, b.month limit ${OVERAGE_LEDGERS_MAX}`;
      return rows.map(({ value, begunAt, triedAt, checkedAt, difference, ...row }) => ({
        ...row,
        trying: value === null ? null : { value, begunAt: begunAt!, triedAt: triedAt! },
        check: checkedAt === null ? null : { difference, checkedAt },
      }));
    },

    async begin(accountId, { firstDay, endsMs }, now) {
      // Within the month, so that the provider's sum of the month holds it; as late as that allows, so that its invoice
      // is still open.
      const occurredAt = new Date(Math.min(now.getTime(), endsMs - 1_000));
      const [begun] = await sql<BegunBlock[]>`
        with head as (
          select block as first_due, begun_at is null as first from overage_block
          where account_id = ${accountId} and month = ${firstDay}::date and state = 'due'
          order by block limit 1
        )
        update overage_block set
          begun_at = coalesce(begun_at, ${now}), tried_at = ${now},
          occurred_at = case when begun_at is null then ${occurredAt} else occurred_at end
        from head
        where account_id = ${accountId} and month = ${firstDay}::date and block = first_due
          and (begun_at is null or (begun_at > ${before(now, OVERAGE_RESEND_MS)} and begun_at <= ${now}))
          and (refusal is null or tried_at <= ${before(now, OVERAGE_REFUSED_MS)})
        returning ${fields}, occurred_at as "occurredAt", first`;
      return begun ?? null;
    },

    async accepted(accepted, now) {
      await sql`
        update overage_block set state = 'sent', sent_at = ${now}, refusal = null
        where ${isBlock(accepted)} and state = 'due'`;
    },

    async withdrawn(begun, refusal) {
      const reason = refusal?.slice(0, OVERAGE_REFUSAL_CHARS_MAX) ?? null;
      await sql`
        update overage_block set begun_at = case when ${begun.first} then null else begun_at end, refusal = ${reason}
        where ${isBlock(begun)} and state = 'due'`;
    },

    async found(accountId, month, now) {
      await sql`
        update overage_block set state = 'sent', sent_at = ${now}, refusal = null where ${tried(accountId, month)}`;
    },

    async missed(accountId, month) {
      await sql`update overage_block set begun_at = null where ${tried(accountId, month)}`;
    },

    async confirm(accountId, month, sentAt) {
      await sql`
        update overage_block set state = 'confirmed'
        where account_id = ${accountId} and month = ${month}::date and state = 'sent' and sent_at <= ${sentAt}`;
    },

    async record({ accountId, month, used, reported, counted, difference }, now) {
      await sql`
        insert into overage_check (account_id, month, used, reported, counted, difference, checked_at)
        values (${accountId}, ${month}::date, ${used}, ${reported}, ${counted}, ${difference}, ${now})
        on conflict (account_id, month) do update set
          used = excluded.used, reported = excluded.reported, counted = excluded.counted,
          difference = excluded.difference, checked_at = excluded.checked_at`;
    },

    async totals(accountId, month) {
      const [row] = await sql<OverageTotals[]>`
        select (case when known then coalesce(least(billable, greatest(covered, made)), 0) end)::float8 as billed,
          reported::float8 as reported
        from (
          select exists (select from account where account_id = ${accountId}) as known,
            coalesce(sum(value), 0)::bigint as made,
            coalesce(sum(value) filter (where state in ('sent', 'confirmed')), 0)::bigint as reported
          from overage_block where account_id = ${accountId} and month = ${month}::date
        ) blocks
        left join (
          ${billedAttempts(sql, sql`account_id = ${accountId} and month = ${month}::date`)}
        ) b on true`;
      return row!;
    },
  };
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}
