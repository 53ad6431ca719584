import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceError } from '#engine/base/source-error.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';

const START = Date.parse('2025-09-20T12:29:40Z');
const LAPS: Frame = { utcMs: START, topic: 'LapCount', json: '{"CurrentLap":1}' };

const info = (fields: object): Frame => ({
  utcMs: START + 1_000,
  topic: 'SessionInfo',
  json: JSON.stringify({
    Meeting: { Name: 'Mexico City Grand Prix', Circuit: { ShortName: 'Mexico City' } },
    Type: 'Qualifying',
    Name: 'Qualifying',
    StartDate: '2025-10-25T15:00:00',
    GmtOffset: '-06:00:00',
    ...fields,
  }),
});

test('a complete SessionInfo takes precedence over a given id', () => {
  const { sessionId, name } = describeSession(F1, [LAPS, info({ _kf: true })], 'my-own-id');
  assert.deepEqual([sessionId, name], ['2025-mexico-qualifying', 'Mexico City Grand Prix, Qualifying']);
});

test('without a complete SessionInfo, an id of the usual form gives season, type and name', () => {
  for (const [sessionId, type, name, circuitName, season] of [
    ['2025-azerbaijan-qualifying', 'Qualifying', 'Azerbaijan, Qualifying', 'Azerbaijan', 2025],
    ['2024-saudi-arabia-race', 'Race', 'Saudi Arabia, Race', 'Saudi Arabia', 2024],
    ['2025-miami-sprint', 'Sprint', 'Miami, Sprint', 'Miami', 2025],
    ['2025-miami-sprint-qualifying', 'Sprint Qualifying', 'Miami, Sprint Qualifying', 'Miami', 2025],
    ['2024-britain-practice-1', 'Practice', 'Britain, Practice 1', 'Britain', 2024],
  ] as const) {
    for (const frames of [[LAPS], [LAPS, info({ Meeting: {} })]]) {
      assert.deepEqual(describeSession(F1, frames, sessionId), {
        sessionId,
        seriesId: 'f1',
        name,
        type,
        circuitName,
        season,
        startUtcMs: START,
      });
    }
  }
});

test('without either, or with an id of another form, the error says what to give', () => {
  for (const [frames, id, pattern] of [
    [
      [LAPS],
      undefined,
      /nothing says which session this is\. .* give the session's id, such as 2025-azerbaijan-qualifying, with --session/,
    ],
    [[], '2025-miami-race', /nothing says which session this is/],
    [
      [LAPS],
      'baku',
      /it is missing, and the id baku does not give the year, place and kind of the session\. Give an id such as/,
    ],
    [[LAPS], '2025-miami', /does not give/],
    [[LAPS], '2025-race', /does not give/],
  ] as const) {
    assert.throws(
      () => describeSession(F1, frames, id),
      (error) => error instanceof SourceError && pattern.test(error.message),
      String(pattern),
    );
  }
});
