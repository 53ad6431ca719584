import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { postgresCalendarStore } from '#api/calendar/postgres-calendar-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import type { SessionType } from '#engine/racing/session-slug.ts';
import type { CalendarEvent } from '#engine/seasons/calendar/season-calendar.ts';
import type { SeasonRevision } from '#engine/seasons/calendar/season-revision.ts';
import { reserveLiveMemory } from '#engine/timeline/live-memory.ts';
import { SEASON, withApi } from '#test/support/api-harness.ts';

const HOUR_MS = 3_600_000;
const RACE_START_MS = Date.UTC(SEASON, 4, 3, 20);

let nowMs = RACE_START_MS;
const api = await withApi({ after }, { clock: { ...systemClock, wallMs: () => nowMs } });
const store = postgresCalendarStore(api.sql);
const client = await api.client('free');

function event(season: number, place: string, round: number, starts: Readonly<Record<string, number>>): CalendarEvent {
  const eventId = `${season}-${place}`;
  const sessions = Object.entries(starts).map(([type, startUtcMs]) => ({
    sessionId: `${eventId}-${type.toLowerCase()}`,
    type: type as SessionType,
    startUtcMs,
    endUtcMs: startUtcMs + 2 * HOUR_MS,
  }));
  const circuitName = `Circuit of ${place}`;
  return { eventId, seriesId: 'f1', season, round, name: `${place} Grand Prix`, circuitName, sessions, vague: [] };
}

/** Stores a newer calendar, complete for its seasons, at the current time. */
function revise(...events: readonly CalendarEvent[]): Promise<SeasonRevision> {
  return store.revise({ events, complete: true, leftOut: [] }, nowMs);
}

async function events(query = ''): Promise<{ eventId: string; sessions: { sessionId: string; status: string }[] }[]> {
  const { status, body } = await client.call('GET', `/v1/events${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.events;
}

function memoryOf(sessionId: string) {
  return reserveLiveMemory({ sessionId, seriesId: 'f1' }, RACE_START_MS);
}

/** Adds a 90-minute recording of the session. */
async function recorded(sessionId: string, startUtcMs: number): Promise<void> {
  await api.session(sessionId);
  await api.sql`update session set start_at = ${new Date(startUtcMs)} where session_id = ${sessionId}`;
}

async function statusOfRace(): Promise<string | undefined> {
  const [miami] = await events();
  return miami!.sessions.find(({ sessionId }) => sessionId === `${SEASON}-miami-race`)?.status;
}

const MONACO = event(SEASON, 'monaco', 7, { Race: RACE_START_MS + 500 * HOUR_MS });
const MIAMI = event(SEASON, 'miami', 6, { Race: RACE_START_MS, Qualifying: RACE_START_MS - 24 * HOUR_MS });
await revise(MONACO, MIAMI, event(SEASON - 1, 'monaco', 8, { Race: RACE_START_MS - 8_000 * HOUR_MS }));

test('the calendar shows only the current season, with events by round and sessions by start time', async () => {
  const { body } = await client.call('GET', '/v1/events');
  assert.deepEqual(body, {
    data: {
      events: [
        {
          eventId: `${SEASON}-miami`,
          name: 'miami Grand Prix',
          circuitName: 'Circuit of miami',
          round: 6,
          sessions: [
            {
              sessionId: `${SEASON}-miami-qualifying`,
              type: 'Qualifying',
              startDate: `${SEASON}-05-02T20:00:00.000Z`,
              status: 'finished',
            },
            {
              sessionId: `${SEASON}-miami-race`,
              type: 'Race',
              startDate: `${SEASON}-05-03T20:00:00.000Z`,
              status: 'live',
            },
          ],
        },
        {
          eventId: `${SEASON}-monaco`,
          name: 'monaco Grand Prix',
          circuitName: 'Circuit of monaco',
          round: 7,
          sessions: [
            {
              sessionId: `${SEASON}-monaco-race`,
              type: 'Race',
              startDate: `${SEASON}-05-24T16:00:00.000Z`,
              status: 'upcoming',
            },
          ],
        },
      ],
    },
  });
});

test('another season is shown on request, and an unknown season has no events', async () => {
  assert.deepEqual(
    (await events(`?season=${SEASON - 1}`)).map(({ eventId }) => eventId),
    [`${SEASON - 1}-monaco`],
  );
  assert.deepEqual(await events('?season=1999'), []);
  for (const season of ['soon', '1949', '2026.5', '']) {
    const { status, body } = await client.call('GET', `/v1/events?season=${season}`);
    assert.deepEqual([status, body.code], [400, 'invalid_query'], season);
  }
  assert.equal((await api.call('GET', '/v1/events')).status, 401);
});

test('a session is upcoming before its start, live until its end, and finished from then on', async () => {
  for (const [atMs, status] of [
    [RACE_START_MS - 1, 'upcoming'],
    [RACE_START_MS, 'live'],
    [RACE_START_MS + 2 * HOUR_MS - 1, 'live'],
    [RACE_START_MS + 2 * HOUR_MS, 'finished'],
  ] as const) {
    nowMs = atMs;
    assert.equal(await statusOfRace(), status);
  }
});

test('the phase that the live source reports overrides the planned times', async (t) => {
  const sessionId = `${SEASON}-miami-race`;
  const other = `${SEASON}-miami-qualifying`;
  t.after(() => {
    for (const followed of [sessionId, other]) api.app.live.ended(followed);
  });
  nowMs = RACE_START_MS + HOUR_MS;
  await api.app.live.opened(memoryOf(other), 'finished');
  assert.equal(await statusOfRace(), 'live', 'the phase of another session does not affect this one');
  await api.app.live.opened(memoryOf(sessionId), 'upcoming');
  assert.equal(await statusOfRace(), 'upcoming', 'a race that starts late');
  nowMs = RACE_START_MS + 3 * HOUR_MS;
  api.app.live.moved(sessionId, 'live');
  assert.equal(await statusOfRace(), 'live', 'a race that resumed after a stoppage');
  nowMs = RACE_START_MS + HOUR_MS;
  api.app.live.moved(sessionId, 'finished');
  assert.equal(await statusOfRace(), 'finished', 'a race that was abandoned');
});

test('a recorded session is finished, whatever its planned end, unless it is live', async (t) => {
  t.after(async () => {
    api.app.live.ended(`${SEASON}-miami-race`);
    await api.sql`delete from session`;
  });
  nowMs = RACE_START_MS + HOUR_MS;
  await recorded(`${SEASON}-miami-race`, RACE_START_MS);
  assert.equal(await statusOfRace(), 'finished');
  await api.app.live.opened(memoryOf(`${SEASON}-miami-race`), 'live');
  assert.equal(await statusOfRace(), 'live');
});

test('a session postponed to another day is upcoming again, although its first day was recorded', async (t) => {
  t.after(async () => {
    await revise(MIAMI, MONACO);
    await api.sql`delete from session`;
  });
  nowMs = RACE_START_MS + 6 * HOUR_MS;
  await recorded(`${SEASON}-miami-race`, RACE_START_MS);
  await revise(event(SEASON, 'miami', 6, { Race: RACE_START_MS + 7 * HOUR_MS }), MONACO);
  assert.equal(await statusOfRace(), 'finished', 'postponed by some hours, but held earlier after all');
  await revise(event(SEASON, 'miami', 6, { Race: RACE_START_MS + 18 * HOUR_MS }), MONACO);
  assert.equal(await statusOfRace(), 'upcoming');
});

test('a session missing from a newer calendar is cancelled but stays listed, and can come back', async (t) => {
  t.after(() => revise(MIAMI, MONACO));
  nowMs = RACE_START_MS - 48 * HOUR_MS;
  const monacoNow = event(SEASON, 'monaco', 6, { Race: RACE_START_MS + 500 * HOUR_MS });
  assert.deepEqual((await revise(monacoNow)).cancelled, [`${SEASON}-miami-qualifying`, `${SEASON}-miami-race`]);
  for (const atMs of [nowMs, RACE_START_MS, RACE_START_MS + 3 * HOUR_MS]) {
    nowMs = atMs;
    const reported = (await events()).map(({ eventId, sessions }) => [
      eventId,
      ...sessions.map(({ status }) => status),
    ]);
    assert.deepEqual(reported, [
      [`${SEASON}-miami`, 'cancelled', 'cancelled'],
      [`${SEASON}-monaco`, 'upcoming'],
    ]);
    assert.deepEqual(await revise(monacoNow), { cancelled: [], removed: [] });
  }
  await revise(event(SEASON, 'miami', 23, { Race: RACE_START_MS + 900 * HOUR_MS }), monacoNow);
  const reported = (await events()).map(({ eventId, sessions }) => [eventId, ...sessions.map(({ status }) => status)]);
  assert.deepEqual(reported, [
    [`${SEASON}-miami`, 'cancelled', 'upcoming'],
    [`${SEASON}-monaco`, 'upcoming'],
  ]);
});

test('a calendar that arrives during a session does not cancel a session that was live or recorded', async (t) => {
  const sessionId = `${SEASON}-miami-race`;
  t.after(async () => {
    api.app.live.ended(sessionId);
    await revise(MIAMI, MONACO);
    await api.sql`delete from session`;
  });
  nowMs = RACE_START_MS + HOUR_MS;
  await revise(MONACO);
  assert.equal(await statusOfRace(), 'cancelled');
  await api.app.live.opened(memoryOf(sessionId), 'upcoming');
  assert.equal(
    await statusOfRace(),
    'cancelled',
    'a source that still waits for the session is no proof that it takes place',
  );
  for (const phase of ['live', 'finished'] as const) {
    api.app.live.moved(sessionId, phase);
    assert.equal(await statusOfRace(), phase);
  }
  api.app.live.ended(sessionId);
  assert.equal(await statusOfRace(), 'cancelled');
  await recorded(sessionId, RACE_START_MS);
  assert.equal(await statusOfRace(), 'finished');
});

test('events are ordered by date, and events without a date by their round', async (t) => {
  t.after(() => revise(MIAMI, MONACO));
  nowMs = RACE_START_MS - 48 * HOUR_MS;
  await revise(event(SEASON, 'imola', 8, {}), MIAMI, MONACO, event(SEASON, 'suzuka', 2, {}));
  assert.deepEqual(
    (await events()).map(({ eventId }) => eventId.slice(5)),
    ['suzuka', 'miami', 'monaco', 'imola'],
  );
});

test('a newer calendar is stored completely or not at all, and leaves other seasons unchanged', async () => {
  const rounds = async () => {
    const rows = await api.sql`
      select event_id, round, count(session_id)::int as sessions
      from calendar_event left join calendar_session using (event_id) group by event_id order by event_id`;
    return rows.map((row) => Object.values(row).join(' '));
  };
  nowMs = RACE_START_MS - 48 * HOUR_MS;
  await revise(
    event(SEASON, 'miami', 5, { Race: RACE_START_MS + HOUR_MS }),
    event(SEASON, 'jeddah', 6, { Race: RACE_START_MS + 500 * HOUR_MS }),
    event(SEASON, 'sochi', 7, {}),
  );
  // Miami keeps its cancelled qualifying; Jeddah replaces Monaco.
  const before = [`${SEASON - 1}-monaco 8 1`, `${SEASON}-jeddah 6 1`, `${SEASON}-miami 5 2`, `${SEASON}-sochi 7 0`];
  assert.deepEqual(await rounds(), before);
  const broken = event(SEASON, 'miami', 5, { Race: Number.NaN });
  await assert.rejects(revise(event(SEASON, 'monza', 1, { Race: RACE_START_MS }), broken));
  assert.deepEqual(await rounds(), before);
  await revise(event(SEASON, 'miami', 5, { Race: RACE_START_MS }));
  assert.deepEqual(await rounds(), before.slice(0, 3), 'an event without sessions is removed');
});

test('calendars stored at the same time are applied one after the other', async () => {
  nowMs = RACE_START_MS - 48 * HOUR_MS;
  await api.sql`delete from calendar_event where season = ${SEASON}`;
  const starts = Array.from({ length: 8 }, (_, place) => RACE_START_MS + place * 24 * HOUR_MS);
  await Promise.all(starts.map((Race, place) => revise(event(SEASON, `place-${place}`, 1, { Race }))));
  const reported = (await events()).flatMap(({ sessions }) => sessions.map(({ status }) => status));
  assert.deepEqual(reported.toSorted(), [...Array(7).fill('cancelled'), 'upcoming']);
});
