// The race calendar in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { CalendarStore, PlannedEvent } from './calendar-store.ts';

export function postgresCalendarStore(sql: Sql): CalendarStore {
  return {
    async events(season) {
      return sql<PlannedEvent[]>`
        select e.event_id as "eventId", e.name, e.circuit_name as "circuitName", e.round, (
          select coalesce(jsonb_agg(jsonb_build_object(
            'sessionId', s.session_id, 'type', s.type, 'startUtcMs', extract(epoch from s.start_at) * 1000,
            'endUtcMs', extract(epoch from s.end_at) * 1000,
            'recorded', exists (select from session r where r.session_id = s.session_id)
          ) order by s.start_at, s.session_id), '[]')
          from calendar_session s where s.event_id = e.event_id
        ) as sessions
        from calendar_event e where e.season = ${season} order by e.round, e.event_id`;
    },

    async replace(events) {
      const sessions = events.flatMap(({ eventId, sessions }) => sessions.map((session) => ({ ...session, eventId })));
      await sql`
        with given_event as (
          select * from jsonb_to_recordset(${sql.json(events as never)})
            as e ("eventId" text, "seriesId" text, season integer, round integer, name text, "circuitName" text)
        ),
        given_session as (
          select * from jsonb_to_recordset(${sql.json(sessions as never)})
            as s ("sessionId" text, "eventId" text, type text, "startUtcMs" float8, "endUtcMs" float8)
        ),
        gone_event as (
          delete from calendar_event e
          where season in (select season from given_event)
            and not exists (select from given_event g where g."eventId" = e.event_id)
        ),
        gone_session as (
          delete from calendar_session s using given_event e
          where s.event_id = e."eventId" and not exists (select from given_session g where g."sessionId" = s.session_id)
        ),
        put_event as (
          insert into calendar_event (event_id, series_id, season, round, name, circuit_name)
          select "eventId", "seriesId", season, round, name, "circuitName" from given_event
          on conflict (event_id) do update set (series_id, season, round, name, circuit_name)
            = (excluded.series_id, excluded.season, excluded.round, excluded.name, excluded.circuit_name)
        )
        insert into calendar_session (session_id, event_id, type, start_at, end_at)
        select "sessionId", "eventId", type, to_timestamp("startUtcMs" / 1000), to_timestamp("endUtcMs" / 1000)
        from given_session
        on conflict (session_id) do update set (event_id, type, start_at, end_at)
          = (excluded.event_id, excluded.type, excluded.start_at, excluded.end_at)`;
    },
  };
}
