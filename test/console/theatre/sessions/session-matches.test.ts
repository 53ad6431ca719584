// The search for a session.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveSessions, matching, NO_FILTER } from '#api/console/app/pages/theatre/sessions/session-matches.ts';

const race = {
  sessionId: '2024-sao-paulo-race',
  seriesId: 'f1',
  name: 'São Paulo Grand Prix: Race',
  type: 'Race',
  circuitName: 'Interlagos',
  startDate: '2024-11-03T15:30:00.000Z',
  durationSeconds: 7_200,
  updateCount: 9_000,
  demo: false,
  season: 2024,
  unlocked: false,
  prepared: true,
};
const practice = { ...race, sessionId: '2025-monaco-practice-1', name: 'Monaco', type: 'Practice', season: 2025 };
const ids = (filter: Partial<typeof NO_FILTER>) =>
  matching([race, practice], { ...NO_FILTER, ...filter }).map(({ sessionId }) => sessionId);

test('a search finds all of its words anywhere, without accents or capitals', () => {
  assert.deepEqual(ids({ search: 'sao 2024' }), [race.sessionId]);
  assert.deepEqual(ids({ search: '  INTERLAGOS ' }), [race.sessionId, practice.sessionId]);
  assert.deepEqual(ids({ search: 'sao 2025' }), []);
  assert.equal(ids({}).length, 2);
});

test('filters combine', () => {
  assert.deepEqual(ids({ season: '2025', kind: 'Practice' }), [practice.sessionId]);
  assert.deepEqual(ids({ season: '2025', kind: 'Race' }), []);
});

test('sessions that the service follows are live also when no calendar has them', () => {
  const session = { sessionId: '2026-monza-race', type: 'Race' as const, startDate: '2026-09-06T13:00:00.000Z' };
  const events = [
    {
      eventId: '2026-monza',
      name: 'Italian Grand Prix',
      circuitName: 'Monza',
      round: 1,
      sessions: [{ ...session, status: 'live' as const }],
    },
  ];
  assert.deepEqual(
    liveSessions({ events }, ['2026-monza-race', '2026-club-heat']).map(({ name, circuitName }) => [name, circuitName]),
    [
      ['Italian Grand Prix · Race', 'Monza'],
      ['2026-club-heat', null],
    ],
  );
});
