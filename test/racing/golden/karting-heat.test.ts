// The golden karting heat: all of its updates.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import { KARTING } from '#engine/racing/series/karting.ts';
import { contentAt, derived, secondsOf } from './derived-payloads.ts';
import { KARTING_HEAT } from './golden-sessions.ts';
import { HEAT_ID } from './karting-heat.ts';

const kart = (number: string, tla: string, name: string, team: string | null, position: number | null) => ({
  driverId: name.toLowerCase().replace('í', 'i').replace(' ', '-'),
  number,
  tla,
  name,
  team,
  constructorId: team === null ? null : team.toLowerCase().replace(' ', '-'),
  position,
});
const farrow = (position: number | null) => kart('4', 'FAR', 'Mina Farrow', 'North Pier', position);
const brandl = (position: number | null) => kart('17', 'BRA', 'Otto Brandl', 'South Pier', position);
const montes = (position: number | null) => kart('23', 'MON', 'Lía Montes', 'North Pier', position);
const oakes = (team: string | null, position: number | null) => kart('31', 'OAK', 'Kit Oakes', team, position);
const unnamed = (number: string, position: number) => ({
  driverId: null,
  number,
  tla: null,
  name: null,
  team: null,
  constructorId: null,
  position,
});

test('whenever a field of the heat changes, the payload has all of them', () => {
  const rows = derived(KARTING_HEAT, 'karting.heat').map(
    (payload) => `${secondsOf(KARTING_HEAT, payload)} ${Object.values(payload.data).join(' ')}`,
  );
  assert.deepEqual(rows, [
    '0 Heat 2 waiting 0 6',
    '60 Heat 2 running 1 6',
    '101.2 Heat 2 running 2 6',
    '142 Heat 2 running 3 6',
    '150 Heat 2 stopped 3 6',
    '240 Heat 2 running 3 6',
    '290.25 Heat 2 running 4 4',
    '331.5 Heat 2 finished 4 4',
  ]);
  assert.deepEqual(contentAt(KARTING_HEAT, 'karting.heat', 290.3), {
    data: { name: 'Heat 2', status: 'running', currentLap: 4, totalLaps: 4 },
    lap: 4,
  });
});

test('entries are published as they arrive: most at once, one later, and a team on its own', () => {
  assert.deepEqual(
    derived(KARTING_HEAT, 'karting.entries').map(({ drivers }) => drivers),
    [
      [{ ...farrow(null), chassis: 'Gannet' }, brandl(null), { ...montes(null), chassis: 'Tern 3' }, oakes(null, null)],
      [oakes('Lighthouse', 4)],
      [{ ...kart('9', 'REE', 'Uma Reeve', 'South Pier', 5), chassis: 'Skua' }],
    ],
  );
});

test('laps have the changes of each kart; invalid values count as missing, and no kart is invented', () => {
  const time = (display: string, ms: number) => ({ display, ms });
  const gap = (display: string, seconds: number) => ({ display, seconds });
  assert.deepEqual(
    derived(KARTING_HEAT, 'karting.laps').map(({ drivers }) => drivers),
    [
      [farrow(1), brandl(2), montes(3), oakes(null, 4)],
      [{ ...farrow(1), lapsCompleted: 1, lastLap: time('41.204', 41_204), bestLap: time('41.204', 41_204) }],
      [
        brandl(3),
        {
          ...montes(2),
          lapsCompleted: 1,
          lastLap: time('41.916', 41_916),
          bestLap: time('41.916', 41_916),
          gapToLeader: gap('+0.712', 0.712),
        },
      ],
      [
        {
          ...brandl(3),
          lapsCompleted: 1,
          lastLap: time('42.640', 42_640),
          bestLap: time('42.640', 42_640),
          gapToLeader: gap('+1.436', 1.436),
        },
      ],
      [
        unnamed('9', 5),
        {
          ...oakes('Lighthouse', 4),
          lapsCompleted: 1,
          lastLap: time('44.4', 44_400),
          bestLap: time('44.4', 44_400),
          gapToLeader: gap('+3.196', 3.196),
        },
      ],
      [
        {
          ...montes(1),
          lapsCompleted: 2,
          lastLap: time('40.102', 40_102),
          bestLap: time('40.102', 40_102),
          gapToLeader: null,
        },
      ],
      [{ ...farrow(2), lapsCompleted: 2, lastLap: time('41.900', 41_900), gapToLeader: gap('+0.100', 0.1) }],
      [{ ...brandl(3), lastLap: null, gapToLeader: null }],
      // A withdrawn kart has only its number left.
      [kart('9', 'REE', 'Uma Reeve', 'South Pier', 4), unnamed('31', 5)],
      [
        {
          ...kart('9', 'REE', 'Uma Reeve', 'South Pier', 4),
          lapsCompleted: 1,
          gapToLeader: { display: '2L', seconds: null, lapsBehind: 2 },
        },
        { ...montes(1), lapsCompleted: 3, lastLap: time('2:28.250', 148_250) },
      ],
      [
        { ...farrow(2), lapsCompleted: 3, gapToLeader: { display: '1L', seconds: null, lapsBehind: 1 } },
        { ...montes(1), lapsCompleted: 4, lastLap: time('40.750', 40_750) },
      ],
    ],
  );
});

test('the id of the heat is its year and name, and its start is that of the meeting', () => {
  assert.deepEqual(describeSession(KARTING, KARTING_HEAT.frames), {
    sessionId: HEAT_ID,
    seriesId: 'karting',
    name: 'Harbour Cup Heat 2',
    type: 'Race',
    circuitName: 'Quayside Arena',
    season: 2026,
    startUtcMs: Date.parse('2026-07-12T08:31:00Z'),
  });
});
