import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, foldPayload } from '#engine/timeline/feed-fold.ts';
import { FEED_STATES } from '#schemas/webhook/feed-states.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

function folded(feedId: FeedId, ...payloads: readonly Fields[]): Fields {
  const rule = FEED_STATES[feedId];
  assert.ok(rule.kind === 'changes');
  const state: Fields = {};
  for (const payload of payloads) foldPayload(state, structuredClone(payload), rule.fields);
  return state;
}

const driver = (number: string, more: Fields = {}): Fields => ({ number, position: 1, ...more });

test('the envelope of a state is that of the last update; a lap that is no longer counted is gone', () => {
  const state = folded(
    'tire.current',
    { sequence: 4, utc: 'a', lap: 1, drivers: [driver('1', { compound: 'SOFT' })] },
    { sequence: 9, utc: 'b', drivers: [driver('44', { compound: 'HARD' })] },
  );
  assert.deepEqual(state, {
    sequence: 9,
    utc: 'b',
    drivers: [driver('1', { compound: 'SOFT' }), driver('44', { compound: 'HARD' })],
  });
});

test('a driver keeps what did not change, and has the identity and position of the last entry', () => {
  const state = folded(
    'timing.data',
    {
      drivers: [
        driver('1', { inPit: true, lastLap: { time: { display: '1:20.1', ms: 80_100 }, overallFastest: true } }),
      ],
    },
    { drivers: [driver('1', { position: 3, lapsCompleted: 5, lastLap: { overallFastest: false } })] },
  );
  const lastLap = { time: { display: '1:20.1', ms: 80_100 }, overallFastest: false };
  assert.deepEqual(state, { drivers: [driver('1', { position: 3, inPit: true, lastLap, lapsCompleted: 5 })] });
});

test('a gap is one value: nothing of an earlier one is left in it', () => {
  const state = folded(
    'timing.data',
    { drivers: [driver('1', { gapToLeader: { display: '1L', seconds: null, lapsBehind: 1 } })] },
    { drivers: [driver('1', { gapToLeader: { display: '+1.2', seconds: 1.2 } })] },
  );
  assert.deepEqual(state, { drivers: [driver('1', { gapToLeader: { display: '+1.2', seconds: 1.2 } })] });
});

test('the previous position belongs to one update and is in no state, not even that of the first', () => {
  const state = folded('timing.data', { drivers: [driver('1', { previousPosition: 2 })] });
  assert.deepEqual(state, { drivers: [driver('1')] });
});

test('items of a list are found by their number, at any depth, and ascend', () => {
  const state = folded(
    'timing.data',
    { drivers: [driver('1', { sectors: [{ sector: 3, stopped: false }] })] },
    { drivers: [driver('1', { sectors: [{ sector: 1, segments: [{ segment: 2, status: 2048 }] }] })] },
    {
      drivers: [
        driver('1', {
          sectors: [
            {
              sector: 1,
              segments: [
                { segment: 1, status: 0 },
                { segment: 2, status: 2049 },
              ],
            },
          ],
        }),
      ],
    },
  );
  const segments = [
    { segment: 1, status: 0 },
    { segment: 2, status: 2049 },
  ];
  assert.deepEqual(state, {
    drivers: [
      driver('1', {
        sectors: [
          { sector: 1, segments },
          { sector: 3, stopped: false },
        ],
      }),
    ],
  });
});

test('an item that comes in full replaces the one before', () => {
  const state = folded(
    'session.data',
    { data: { series: [{ index: 0, utc: 'a', lap: 1 }], statusSeries: [] } },
    { data: { series: [{ index: 0, utc: 'b', qualifyingPart: 1 }], statusSeries: [{ index: 0, utc: 'c' }] } },
  );
  assert.deepEqual(state, {
    data: { series: [{ index: 0, utc: 'b', qualifyingPart: 1 }], statusSeries: [{ index: 0, utc: 'c' }] },
  });
});

test('a line of the first three that passes to another driver keeps nothing of the one before', () => {
  const state = folded(
    'timing.top-three',
    { drivers: [driver('1', { line: 1, lapFlags: 4 }), driver('44', { line: 2, lapFlags: 8 })] },
    { drivers: [driver('16', { line: 2 })] },
    { drivers: [driver('1', { line: 1, showPosition: true })] },
  );
  assert.deepEqual(state, {
    drivers: [driver('1', { line: 1, lapFlags: 4, showPosition: true }), driver('16', { line: 2 })],
  });
});

test('changes of the session as a whole, and of teams, are kept beside the drivers', () => {
  const timing = folded(
    'timing.data',
    { session: { part: 1 }, drivers: [] },
    { drivers: [] },
    { session: { withheld: true }, drivers: [] },
  );
  assert.deepEqual(timing, { session: { part: 1, withheld: true }, drivers: [] });
  const championship = folded(
    'championship.prediction',
    { drivers: [], teams: [{ entrant: 'Nightjar', team: 'Nightjar', currentPoints: 10 }] },
    {
      drivers: [driver('1', { currentPoints: 3 })],
      teams: [{ entrant: 'Nightjar', team: 'Nightjar', predictedPoints: 12 }],
    },
  );
  assert.deepEqual(championship, {
    drivers: [driver('1', { currentPoints: 3 })],
    teams: [{ entrant: 'Nightjar', team: 'Nightjar', currentPoints: 10, predictedPoints: 12 }],
  });
});
