// The resources of the interface that are only read: "Feed", "Calendar event", "Predictions" and "Fantasy".

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { contractService } from '#test/support/contract-service.ts';
import { IN_SEASON } from './short-session.ts';

const service = await contractService({ after }, IN_SEASON);
const { sql, admin, dataDir } = service;

interface Feed {
  readonly feedId: string;
  readonly availability: string;
  readonly maturity?: string;
  readonly model?: { readonly measured: readonly object[] };
}

test('GET /feeds: returns feedId, name, seriesId and availability of every feed, and the maturity and card of models, in pages', async () => {
  const client = await service.client('free');
  const { feeds, total, limit, offset } = (await client.call('GET', '/feeds')).body.data;
  assert.deepEqual([feeds.length, limit, offset], [total, 100, 0]);
  for (const feed of feeds) {
    const { maturity, model, ...others } = feed;
    assert.deepEqual(Object.keys(others).toSorted(), ['availability', 'feedId', 'name', 'seriesId']);
    if (feed.availability === 'analytics') assert.ok(['stable', 'beta'].includes(maturity));
    else assert.ok(!('maturity' in feed));
    assert.equal(model !== undefined && model.measured.length > 0, feed.availability === 'analytics', feed.feedId);
    assert.ok(['free', 'live', 'analytics'].includes(feed.availability));
    assert.equal(feed.seriesId, 'f1');
    assert.notEqual(feed.name, '');
  }
  const page = (await client.call('GET', '/feeds?limit=2&offset=1')).body.data;
  assert.deepEqual(page, { feeds: feeds.slice(1, 3), total, limit: 2, offset: 1 });
});

test('Feed: the ids in the interface exist, and each plan sees the whole catalogue', async () => {
  const catalogues = [];
  for (const plan of ['free', 'developer', 'custom'] as const) {
    catalogues.push((await (await service.client(plan)).call('GET', '/feeds')).body.data.feeds);
  }
  assert.deepEqual([catalogues[1], catalogues[2]], [catalogues[0], catalogues[0]]);
  const ids = new Set(catalogues[0].map(({ feedId }: Feed) => feedId));
  for (const feedId of [
    'timing.data',
    'session.status',
    'race-control.messages',
    'tire.stints',
    'timing.driver-info',
    'events.race',
  ]) {
    assert.ok(ids.has(feedId), feedId);
  }
});

test('Feed availability: free is open to every plan, live needs Developer, analytics need Custom', async () => {
  const [free, developer, custom] = [
    await service.client('free'),
    await service.client('developer'),
    await service.client('custom'),
  ];
  const { feeds } = (await free.call('GET', '/feeds')).body.data;
  for (const { feedId, availability } of feeds as Feed[]) {
    const create = { webhookUrl: 'http://localhost:9/hook', feedId };
    const onFree = availability === 'free' ? 201 : availability === 'live' ? 402 : 403;
    for (const [client, expected] of [
      [free, onFree],
      [developer, availability === 'analytics' ? 402 : 201],
      [custom, 201],
    ] as const) {
      const { status, body } = await client.call('POST', '/webhooks', create);
      assert.equal(status, expected, `${feedId} ${body.error}`);
      if (status === 201) await client.call('DELETE', `/webhooks/${body.data.webhookId}`);
    }
  }
});

test('GET /events: returns the calendar as { events }, each with its sessions, their types, starts and statuses', async () => {
  const client = await service.client('free');
  const meeting = (round: number, name: string, place: string) => ({
    Number: round,
    Name: name,
    Location: place,
    Circuit: { Key: round, ShortName: place },
    Sessions: [
      { Type: 'Qualifying', Name: 'Qualifying', StartDate: '2026-05-02T16:00:00', EndDate: '2026-05-02T17:00:00' },
      { Type: 'Race', Name: 'Race', StartDate: '2026-05-03T15:00:00', EndDate: '2026-05-03T17:00:00' },
    ].map((session) => ({ ...session, GmtOffset: '02:00:00' })),
  });
  const path = join(dataDir, 'Index.json');
  const Meetings = [meeting(1, 'Dutch Grand Prix', 'Zandvoort'), meeting(2, 'Monaco Grand Prix', 'Monte Carlo')];
  writeFileSync(path, JSON.stringify({ Year: 2026, Meetings }));
  await admin(['import', 'calendar', path]);
  // Moves the second race weekend: its qualifying is live now, and its race is tomorrow.
  await sql`update calendar_session set start_at = now() - interval '20 minutes', end_at = now() + interval '40 minutes'
    where session_id = '2026-monaco-qualifying'`;
  await sql`update calendar_session set start_at = now() + interval '1 day', end_at = now() + interval '26 hours'
    where session_id = '2026-monaco-race'`;
  await sql`update calendar_session set start_at = now() - interval '3 days', end_at = now() - interval '70 hours'
    where event_id = '2026-netherlands'`;
  const { status, body } = await client.call('GET', '/events');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.data), ['events']);
  const listed = body.data.events.map(({ sessions, ...event }: { sessions: Record<string, string>[] }) => ({
    ...event,
    sessions: sessions.map(({ startDate, ...session }) => {
      assert.equal(new Date(startDate!).toISOString(), startDate);
      return Object.values(session).join(' ');
    }),
  }));
  assert.deepEqual(listed, [
    {
      eventId: '2026-netherlands',
      name: 'Dutch Grand Prix',
      circuitName: 'Zandvoort',
      round: 1,
      sessions: ['2026-netherlands-qualifying Qualifying finished', '2026-netherlands-race Race finished'],
    },
    {
      eventId: '2026-monaco',
      name: 'Monaco Grand Prix',
      circuitName: 'Monte Carlo',
      round: 2,
      sessions: ['2026-monaco-qualifying Qualifying live', '2026-monaco-race Race upcoming'],
    },
  ]);
});

test('GET /events: a session that is missing from a new calendar is shown as cancelled, also when its whole event is missing', async () => {
  const client = await service.client('free');
  const path = join(dataDir, 'Index-2027.json');
  const meeting = (round: number, name: string, month: number, types: readonly string[]) => ({
    Number: round,
    Name: name,
    Sessions: types.map((Type, place) => ({
      Type,
      Name: Type,
      StartDate: `2027-${String(month).padStart(2, '0')}-0${place + 1}T15:00:00`,
      GmtOffset: '02:00:00',
    })),
  });
  const weekend = ['Qualifying', 'Race'];
  const importing = (...Meetings: readonly object[]) => {
    writeFileSync(path, JSON.stringify({ Year: 2027, Meetings }));
    return admin(['import', 'calendar', path]);
  };
  const listSessions = async () => {
    const { events } = (await client.call('GET', '/events?season=2027')).body.data;
    return events.flatMap(({ sessions }: { sessions: { sessionId: string; status: string }[] }) =>
      sessions.map(({ sessionId, status }) => `${sessionId.slice(5)} ${status}`),
    );
  };
  const dutch = meeting(1, 'Dutch Grand Prix', 4, weekend);
  const italian = meeting(2, 'Italian Grand Prix', 5, weekend);
  const austrian = meeting(3, 'Austrian Grand Prix', 6, weekend);
  await importing(dutch, italian, austrian);
  const whole = (await listSessions()).toSorted();
  assert.equal(whole.length, 6);
  await importing(
    dutch,
    meeting(2, 'Austrian Grand Prix', 6, ['Qualifying']),
    meeting(3, 'Monaco Grand Prix', 7, weekend),
  );
  assert.deepEqual(await listSessions(), [
    'netherlands-qualifying upcoming',
    'netherlands-race upcoming',
    'italy-qualifying cancelled',
    'italy-race cancelled',
    'austria-qualifying upcoming',
    'austria-race cancelled',
    'monaco-qualifying upcoming',
    'monaco-race upcoming',
  ]);
  await importing(dutch, italian, austrian);
  assert.deepEqual((await listSessions()).filter((line: string) => !line.startsWith('monaco')).toSorted(), whole);
});

test('Predictions: available on every tier; a session without a preview gives 404 and says where previews are listed', async () => {
  for (const plan of ['free', 'developer', 'custom'] as const) {
    const client = await service.client(plan);
    const upcoming = await client.call('GET', '/preview/upcoming');
    assert.equal(upcoming.status, 200);
    assert.ok(Array.isArray(upcoming.body.data.previews));
    const { status, body } = await client.call('GET', '/preview/2026-nowhere-race');
    assert.deepEqual([status, body.statusCode], [404, 404]);
    assert.match(body.error, /GET \/v1\/preview\/upcoming/);
  }
});

test('Fantasy: needs Developer or higher; Free gets 403 on all three endpoints, even for an invalid request', async () => {
  const client = await service.client('free');
  for (const path of [
    '/fantasy/races/2018-azerbaijan/scores',
    '/fantasy/races/2018-azerbaijan/scores?session=warm-up',
    '/fantasy/session/2018-azerbaijan-race/scores',
    '/fantasy/session/2018-azerbaijan-race/pit-times',
  ]) {
    const { status, body } = await client.call('GET', path);
    assert.deepEqual([status, body.code], [403, 'insufficient_tier'], path);
    assert.match(body.error, /Developer/);
  }
});

test('GET /fantasy/races/:raceId/scores: session is race, the default, or sprint; an unknown race gives 404', async () => {
  const client = await service.client('developer');
  for (const query of ['', '?session=race', '?session=sprint']) {
    assert.equal((await client.call('GET', `/fantasy/races/1990-nowhere/scores${query}`)).status, 404, query);
  }
  const { status, body } = await client.call('GET', '/fantasy/races/1990-nowhere/scores?session=qualifying');
  assert.deepEqual([status, body.error], [400, 'session must be one of race, sprint']);
});

test('GET /fantasy/session/:sessionId/scores: when no session is live, live is false, scores are empty, and message says why', async () => {
  for (const plan of ['developer', 'custom'] as const) {
    const client = await service.client(plan);
    const { status, body } = await client.call('GET', '/fantasy/session/2018-azerbaijan-race/scores');
    const { sessionId, live, scores, message } = body.data;
    assert.deepEqual([status, sessionId, live, scores], [200, '2018-azerbaijan-race', false, []]);
    assert.match(message, /not live/);
  }
});

test('GET /fantasy/session/:sessionId/pit-times: an unknown session gives 404', async () => {
  const client = await service.client('developer');
  const { status, body } = await client.call('GET', '/fantasy/session/1990-nowhere-race/pit-times');
  assert.deepEqual([status, body.statusCode], [404, 404]);
});
