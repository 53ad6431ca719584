// Counts events in the database that the nodes of a cluster share, so a limit is one limit whichever node sees the event, also
// after an account or a network has got another home.
//
// EC1 A key is locked while an event of it is counted: two nodes cannot both take its last room.
// EC2 A key that was full is not asked for again for a moment, so a flood that is refused costs the database nothing.

import { createHash } from 'node:crypto';
import type { Clock } from '#engine/base/clock.ts';
import { ADDRESSES_COUNTED_MAX, FULL_KEPT_MS } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { EventCounts, Taken, Wish } from './event-counts.ts';
import { growingCache } from './growing-cache.ts';

interface Full {
  readonly waitMs: number;
  readonly sinceMs: number;
}

export class PostgresEventCounts implements EventCounts {
  readonly #sql: Sql;
  readonly #clock: Clock;
  /** EC2. By subject. */
  readonly #full = growingCache<Full>(ADDRESSES_COUNTED_MAX);

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  async take(wishes: readonly Wish[]): Promise<Taken> {
    const subjects = wishes.map(subjectOf);
    const nowMs = this.#clock.nowMs();
    for (const [place, wish] of wishes.entries()) {
      const full = wish.always === true ? undefined : this.#full.get(subjects[place]!);
      const passedMs = full === undefined ? 0 : nowMs - full.sinceMs;
      if (full !== undefined && passedMs < Math.min(FULL_KEPT_MS, full.waitMs))
        return { kind: 'full', wish, waitMs: full.waitMs - passedMs };
    }
    const { place, waitMs, events } = await this.#take(wishes, subjects);
    if (place !== null) {
      this.#full.set(subjects[place]!, { waitMs: waitMs!, sinceMs: nowMs });
      return { kind: 'full', wish: wishes[place]!, waitMs: waitMs! };
    }
    return {
      kind: 'counted',
      discount: async () => {
        for (const subject of subjects) this.#full.delete(subject);
        await this.#sql`delete from recent_event where event_no = any(${`{${events!.join(',')}}`}::text::bigint[])`;
      },
    };
  }

  #take(wishes: readonly Wish[], subjects: readonly string[]): Promise<Result> {
    const texts = `{${subjects.join(',')}}`;
    const rates = wishes.map(({ limit }) => limit.rate);
    return this.#sql.begin(async (transaction) => {
      // EC1. In one order, so that two takes cannot deadlock.
      await transaction`
        select pg_advisory_xact_lock(key) from (
          select distinct hashtextextended(subject, 0) as key from unnest(${texts}::text::text[]) as subject order by 1
        ) as locked`;
      const [result] = await transaction<[Result]>`
        with wish as (
          select subject, events, period * interval '1 ms' as period, always, place - 1 as place
          from unnest(
            ${texts}::text::text[],
            ${`{${rates.map(({ requests }) => requests).join(',')}}`}::text::int[],
            ${`{${rates.map(({ windowMs }) => windowMs).join(',')}}`}::text::int[],
            ${`{${wishes.map(({ always = false }) => always).join(',')}}`}::text::bool[]
          ) with ordinality as one (subject, events, period, always, place)
        ), crowded as (
          select place, extract(epoch from last.at + period - clock_timestamp()) * 1000 as wait_ms
          from wish cross join lateral (
            select at from recent_event e
            where e.subject = wish.subject and e.at > clock_timestamp() - period
            order by at desc offset events - 1 limit 1
          ) as last
          where not always order by place limit 1
        ), counted as (
          insert into recent_event (subject, expires_at)
          select subject, clock_timestamp() + period from wish where not exists (select from crowded)
          returning event_no
        )
        select (select place::int from crowded) as place, (select wait_ms::float8 from crowded) as "waitMs",
          (select array_agg(event_no::text) from counted) as events`;
      return result;
    });
  }
}

interface Result {
  /** Of the wish whose key is full; null if all were counted. */
  readonly place: number | null;
  readonly waitMs: number | null;
  /** The numbers of the counted events; null if a key is full. */
  readonly events: readonly string[] | null;
}

/** A digest, because keys are addresses of people. */
function subjectOf({ limit, key }: Wish): string {
  return createHash('sha256').update(`${limit.name} ${key}`).digest('base64url');
}
