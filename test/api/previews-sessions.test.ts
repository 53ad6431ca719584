import assert from 'node:assert/strict';
import { test } from 'node:test';
import { previewedSession, raceOf } from '#api/previews/previewed-session.ts';
import { sessionIdOf } from '#engine/racing/session-slug.ts';

const TYPES = ['Race', 'Sprint', 'Qualifying', 'Sprint Qualifying'] as const;

test('the id of a session that can be previewed gives its event, season and type', () => {
  for (const eventId of ['2018-azerbaijan', '2026-sao-paulo', '2026-sprint', '2026-race', '2020-70th-anniversary']) {
    for (const type of TYPES) {
      const sessionId = sessionIdOf(eventId, type, type);
      assert.deepEqual(previewedSession(sessionId), { eventId, season: Number(eventId.slice(0, 4)), type }, sessionId);
    }
  }
});

test('sprint qualifying belongs to the sprint, and qualifying to the Grand Prix', () => {
  assert.deepEqual(TYPES.map(raceOf), ['grand_prix', 'sprint', 'grand_prix', 'sprint']);
});

test('any other id has no preview', () => {
  const ids = ['', 'race', '2026-race', 'monaco-race', '2026-monaco', '2026-monaco-practice-1', '2026-monaco-race '];
  for (const sessionId of [...ids, '20260-monaco-race', 'demo-race', '2026-monaco-RACE', '2026-monaco-race\n']) {
    assert.equal(previewedSession(sessionId), null, sessionId);
  }
});
