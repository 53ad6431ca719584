// The race calendar in PostgreSQL.

import type { CalendarEvent } from '#engine/seasons/calendar/season-calendar.ts';
import {
  type KnownSession,
  reviseSeasons,
  type SeasonRevision,
  seasonOf,
} from '#engine/seasons/calendar/season-revision.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import type { CalendarStore, PlannedEvent } from './calendar-store.ts';

export function postgresCalendarStore(sql: Sql): CalendarStore {
  return {
    // A cancelled event keeps its round, which another event may have by now. So its dates decide the order.
    async events(season) {
      return sql<PlannedEvent[]>`
        select event_id as "eventId", name, circuit_name as "circuitName", round, (
          select coalesce(jsonb_agg(jsonb_build_object(
            'sessionId', s.session_id, 'type', s.type, 'startUtcMs', extract(epoch from s.start_at) * 1000,
            'endUtcMs', extract(epoch from s.end_at) * 1000, 'cancelled', s.cancelled,
            'recordedToUtcMs', extract(epoch from r.start_at) * 1000 + r.duration_ms
          ) order by s.start_at, s.session_id), '[]')
          from calendar_session s left join session r using (session_id) where s.event_id = e.event_id
        ) as sessions
        from (
          select *, (select min(start_at) from calendar_session s where s.event_id = calendar_event.event_id) as first_at
          from calendar_event where season = ${season}
        ) e
        order by coalesce(
          first_at,
          min(first_at) over (order by round, event_id rows between 1 following and unbounded following),
          'infinity'
        ), round, event_id`;
    },

    revise(calendar, nowMs) {
      return sql.begin(async (transaction) => {
        await lock(transaction);
        const seasons = [...new Set(calendar.events.map(seasonOf))];
        const revision = reviseSeasons(await knownSessions(transaction, seasons), calendar, nowMs);
        await mark(transaction, revision);
        await putEvents(transaction, calendar.events);
        await putSessions(transaction, calendar.events);
        await removeEmptyEvents(transaction, seasons, calendar.events);
        return revision;
      });
    },
  };
}

/** Allows one revision at a time, without blocking readers. */
async function lock(transaction: TransactionSql): Promise<void> {
  await transaction`lock table calendar_event in share row exclusive mode`;
}

async function knownSessions(transaction: TransactionSql, seasons: readonly string[]): Promise<KnownSession[]> {
  return transaction<KnownSession[]>`
    select s.session_id as "sessionId", s.event_id as "eventId", e.series_id as "seriesId", e.season, s.type, s.cancelled,
      (extract(epoch from s.start_at) * 1000)::float8 as "startUtcMs",
      (extract(epoch from s.end_at) * 1000)::float8 as "endUtcMs"
    from calendar_session s join calendar_event e using (event_id)
    where e.series_id || ' ' || e.season = any(${[...seasons]}::text[]) order by s.session_id`;
}

async function mark(transaction: TransactionSql, { cancelled, removed }: SeasonRevision): Promise<void> {
  await transaction`
    with gone as (delete from calendar_session where session_id = any(${[...removed]}::text[]))
    update calendar_session set cancelled = true where session_id = any(${[...cancelled]}::text[])`;
}

async function putEvents(transaction: TransactionSql, events: readonly CalendarEvent[]): Promise<void> {
  await transaction`
    insert into calendar_event (event_id, series_id, season, round, name, circuit_name)
    select "eventId", "seriesId", season, round, name, "circuitName"
    from jsonb_to_recordset(${transaction.json(events as never)})
      as e ("eventId" text, "seriesId" text, season integer, round integer, name text, "circuitName" text)
    on conflict (event_id) do update set (series_id, season, round, name, circuit_name)
      = (excluded.series_id, excluded.season, excluded.round, excluded.name, excluded.circuit_name)`;
}

async function putSessions(transaction: TransactionSql, events: readonly CalendarEvent[]): Promise<void> {
  const sessions = events.flatMap(({ eventId, sessions }) => sessions.map((session) => ({ ...session, eventId })));
  await transaction`
    insert into calendar_session (session_id, event_id, type, start_at, end_at, cancelled)
    select "sessionId", "eventId", type, to_timestamp("startUtcMs" / 1000), to_timestamp("endUtcMs" / 1000), false
    from jsonb_to_recordset(${transaction.json(sessions as never)})
      as s ("sessionId" text, "eventId" text, type text, "startUtcMs" float8, "endUtcMs" float8)
    on conflict (session_id) do update set (event_id, type, start_at, end_at, cancelled)
      = (excluded.event_id, excluded.type, excluded.start_at, excluded.end_at, excluded.cancelled)`;
}

/** Removes events that the calendar no longer has and that have no sessions left. */
async function removeEmptyEvents(
  transaction: TransactionSql,
  seasons: readonly string[],
  given: readonly CalendarEvent[],
): Promise<void> {
  await transaction`
    delete from calendar_event e
    where series_id || ' ' || season = any(${[...seasons]}::text[]) and event_id <> all(${given.map(({ eventId }) => eventId)}::text[])
      and not exists (select from calendar_session s where s.event_id = e.event_id)`;
}
