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

/** Puts a newer calendar with every race of its seasons in place, at this moment. */
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

/** A recording of 90 minutes. */
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

test('the calendar shows the current season by round, its sessions by their start, and nothing else', async () => {
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

test('another season is shown on request, one that is not known has no events', async () => {
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

test('a session is upcoming before its start, live from it to its end, completed from then on', async () => {
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

test('what the live source knows of a session counts for more than its plan', async (t) => {
  const sessionId = `${SEASON}-miami-race`;
  const other = `${SEASON}-miami-qualifying`;
  t.after(() => {
    for (const followed of [sessionId, other]) api.app.live.ended(followed);
  });
  nowMs = RACE_START_MS + HOUR_MS;
  await api.app.live.opened(memoryOf(other), 'finished');
  assert.equal(await statusOfRace(), 'live', 'another session says nothing about this one');
  await api.app.live.opened(memoryOf(sessionId), 'upcoming');
  assert.equal(await statusOfRace(), 'upcoming', 'a race that starts late');
  nowMs = RACE_START_MS + 3 * HOUR_MS;
  api.app.live.moved(sessionId, 'live');
  assert.equal(await statusOfRace(), 'live', 'a race that was stopped and goes on');
  nowMs = RACE_START_MS + HOUR_MS;
  api.app.live.moved(sessionId, 'finished');
  assert.equal(await statusOfRace(), 'finished', 'a race that was given up');
});

test('a session of which there is a recording is completed, whatever its planned end, unless it is live', async (t) => {
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

test('a session that was put off to another day is upcoming again, although its first day was recorded', async (t) => {
  t.after(async () => {
    await revise(MIAMI, MONACO);
    await api.sql`delete from session`;
  });
  nowMs = RACE_START_MS + 6 * HOUR_MS;
  await recorded(`${SEASON}-miami-race`, RACE_START_MS);
  await revise(event(SEASON, 'miami', 6, { Race: RACE_START_MS + 7 * HOUR_MS }), MONACO);
  assert.equal(await statusOfRace(), 'finished', 'put off by some hours, and held earlier after all');
  await revise(event(SEASON, 'miami', 6, { Race: RACE_START_MS + 18 * HOUR_MS }), MONACO);
  assert.equal(await statusOfRace(), 'upcoming');
});

test('a session that a newer calendar no longer has is cancelled, keeps its place, and comes back', async (t) => {
  t.after(() => revise(MIAMI, MONACO));
  nowMs = RACE_START_MS - 48 * HOUR_MS;
  const monacoNow = event(SEASON, 'monaco', 6, { Race: RACE_START_MS + 500 * HOUR_MS });
  assert.deepEqual((await revise(monacoNow)).cancelled, [`${SEASON}-miami-qualifying`, `${SEASON}-miami-race`]);
  for (const atMs of [nowMs, RACE_START_MS, RACE_START_MS + 3 * HOUR_MS]) {
    nowMs = atMs;
    const told = (await events()).map(({ eventId, sessions }) => [eventId, ...sessions.map(({ status }) => status)]);
    assert.deepEqual(told, [
      [`${SEASON}-miami`, 'cancelled', 'cancelled'],
      [`${SEASON}-monaco`, 'upcoming'],
    ]);
    assert.deepEqual(await revise(monacoNow), { cancelled: [], removed: [] });
  }
  await revise(event(SEASON, 'miami', 23, { Race: RACE_START_MS + 900 * HOUR_MS }), monacoNow);
  const told = (await events()).map(({ eventId, sessions }) => [eventId, ...sessions.map(({ status }) => status)]);
  assert.deepEqual(told, [
    [`${SEASON}-miami`, 'cancelled', 'upcoming'],
    [`${SEASON}-monaco`, 'upcoming'],
  ]);
});

test('a calendar that comes while a session goes on does not cancel what is seen to be held', async (t) => {
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
  assert.equal(await statusOfRace(), 'cancelled', 'a source that waits for it has not seen it');
  for (const phase of ['live', 'finished'] as const) {
    api.app.live.moved(sessionId, phase);
    assert.equal(await statusOfRace(), phase);
  }
  api.app.live.ended(sessionId);
  assert.equal(await statusOfRace(), 'cancelled');
  await recorded(sessionId, RACE_START_MS);
  assert.equal(await statusOfRace(), 'finished');
});

test('events stand by their days, those without any by their round', async (t) => {
  t.after(() => revise(MIAMI, MONACO));
  nowMs = RACE_START_MS - 48 * HOUR_MS;
  await revise(event(SEASON, 'imola', 8, {}), MIAMI, MONACO, event(SEASON, 'suzuka', 2, {}));
  assert.deepEqual(
    (await events()).map(({ eventId }) => eventId.slice(5)),
    ['suzuka', 'miami', 'monaco', 'imola'],
  );
});

test('a newer calendar is put in place as a whole, or not at all, and leaves other seasons alone', async () => {
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
  // Miami keeps its cancelled qualifying; Monaco is called Jeddah now.
  const before = [`${SEASON - 1}-monaco 8 1`, `${SEASON}-jeddah 6 1`, `${SEASON}-miami 5 2`, `${SEASON}-sochi 7 0`];
  assert.deepEqual(await rounds(), before);
  const broken = event(SEASON, 'miami', 5, { Race: Number.NaN });
  await assert.rejects(revise(event(SEASON, 'monza', 1, { Race: RACE_START_MS }), broken));
  assert.deepEqual(await rounds(), before);
  await revise(event(SEASON, 'miami', 5, { Race: RACE_START_MS }));
  assert.deepEqual(await rounds(), before.slice(0, 3), 'nothing is left to tell of an event without sessions');
});

test('calendars that are put in place at the same time follow each other', async () => {
  nowMs = RACE_START_MS - 48 * HOUR_MS;
  await api.sql`delete from calendar_event where season = ${SEASON}`;
  const starts = Array.from({ length: 8 }, (_, place) => RACE_START_MS + place * 24 * HOUR_MS);
  await Promise.all(starts.map((Race, place) => revise(event(SEASON, `place-${place}`, 1, { Race }))));
  const told = (await events()).flatMap(({ sessions }) => sessions.map(({ status }) => status));
  assert.deepEqual(told.toSorted(), [...Array(7).fill('cancelled'), 'upcoming']);
});
