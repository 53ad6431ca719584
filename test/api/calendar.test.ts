import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { postgresCalendarStore } from '#api/calendar/postgres-calendar-store.ts';
import type { LiveSession } from '#api/calendar/session-status.ts';
import type { CalendarEvent } from '#engine/calendar/season-calendar.ts';
import type { SessionType } from '#engine/session/session-slug.ts';
import { SEASON, withApi } from './api-harness.ts';

const HOUR_MS = 3_600_000;
const RACE_START_MS = Date.UTC(SEASON, 4, 3, 20);

let nowMs = RACE_START_MS;
let live: LiveSession | null = null;
const api = await withApi(
  { after },
  { clock: { nowMs: () => performance.now(), wallMs: () => nowMs }, liveSession: () => live },
);
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
  return { eventId, seriesId: 'f1', season, round, name: `${place} Grand Prix`, circuitName, sessions };
}

async function events(query = ''): Promise<{ eventId: string; sessions: { sessionId: string; status: string }[] }[]> {
  const { status, body } = await client.call('GET', `/v1/events${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.events;
}

async function statusOfRace(): Promise<string | undefined> {
  const [miami] = await events();
  return miami!.sessions.find(({ sessionId }) => sessionId === `${SEASON}-miami-race`)?.status;
}

await store.replace([
  event(SEASON, 'monaco', 7, { Race: RACE_START_MS + 500 * HOUR_MS }),
  event(SEASON, 'miami', 6, { Race: RACE_START_MS, Qualifying: RACE_START_MS - 24 * HOUR_MS }),
  event(SEASON - 1, 'monaco', 8, { Race: RACE_START_MS - 8_000 * HOUR_MS }),
]);

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
  t.after(() => {
    live = null;
  });
  const sessionId = `${SEASON}-miami-race`;
  nowMs = RACE_START_MS + 3 * HOUR_MS;
  live = { sessionId, state: 'live' };
  assert.equal(await statusOfRace(), 'live', 'a race that was stopped and goes on');
  nowMs = RACE_START_MS + HOUR_MS;
  live = { sessionId, state: 'ended' };
  assert.equal(await statusOfRace(), 'finished', 'a race that was given up');
  live = { sessionId: `${SEASON}-miami-qualifying`, state: 'live' };
  assert.equal(await statusOfRace(), 'live', 'another session says nothing about this one');
});

test('a session of which there is a recording is completed, whatever its planned end, unless it is live', async (t) => {
  t.after(async () => {
    live = null;
    await api.sql`delete from session`;
  });
  nowMs = RACE_START_MS + HOUR_MS;
  await api.session(`${SEASON}-miami-race`);
  assert.equal(await statusOfRace(), 'finished');
  live = { sessionId: `${SEASON}-miami-race`, state: 'live' };
  assert.equal(await statusOfRace(), 'live');
});

test('a season is replaced as a whole: what is gone is gone, what has moved has moved, other seasons stay', async () => {
  const rounds = async () =>
    await api.sql`
      select event_id, round, count(session_id)::int as sessions
      from calendar_event left join calendar_session using (event_id) group by event_id order by event_id`;
  await store.replace([
    event(SEASON, 'miami', 5, { Race: RACE_START_MS + HOUR_MS }),
    event(SEASON, 'imola', 6, { Race: RACE_START_MS, Practice: RACE_START_MS }),
  ]);
  assert.deepEqual(
    (await rounds()).map((row) => ({ ...row })),
    [
      { event_id: `${SEASON - 1}-monaco`, round: 8, sessions: 1 },
      { event_id: `${SEASON}-imola`, round: 6, sessions: 2 },
      { event_id: `${SEASON}-miami`, round: 5, sessions: 1 },
    ],
  );
  const before = await rounds();
  const broken = event(SEASON, 'miami', 5, { Race: Number.NaN });
  await assert.rejects(store.replace([event(SEASON, 'sochi', 1, { Race: RACE_START_MS }), broken]));
  assert.deepEqual(await rounds(), before);
});

test('seasons that are replaced at the same time end as one of them', async () => {
  await Promise.all(
    Array.from({ length: 8 }, (_, round) => store.replace([event(SEASON, 'miami', round, { Race: RACE_START_MS })])),
  );
  assert.deepEqual(
    (await events()).map(({ eventId }) => eventId),
    [`${SEASON}-miami`],
  );
});
