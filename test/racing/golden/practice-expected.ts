// What the golden practice must derive: its race events, and some payloads of each feed.

import type { ExpectedPayload } from './derived-payloads.ts';
import { driver } from './entrants.ts';

/** Race events as `seconds lap type drivers: details`, without personal bests. */
export const EVENTS = `
60.0 session_start: sessionType Practice
70.0 pit_exit HOL
80.0 pit_exit OST
90.0 pit_exit OKE
150.0 pit_exit MAR
170.0 pit_exit LIN
205.4 fastest_lap HOL: lap 2, time 1:03.204
225.2 fastest_lap OKE: lap 2, time 1:02.995
283.2 pit_entry HOL: stop 1
294.9 pit_entry OST: stop 1
300.0 yellow_flag
303.0 pit_entry OKE: stop 1
324.0 track_clear
363.3 pit_entry MAR: stop 1
383.1 pit_entry LIN: stop 1
420.0 pit_exit HOL: pitLaneMs 136796, stop 1
430.0 pit_exit OST: pitLaneMs 135129, stop 1
440.0 pit_exit OKE: pitLaneMs 137005, stop 1
554.7 fastest_lap HOL: lap 5, time 1:02.508
632.5 pit_entry HOL: stop 2
645.0 pit_entry OST: stop 2
652.6 pit_entry OKE: stop 2
960.0 chequered_flag
1020.0 session_end: sessionType Practice, winner HOL
`.trim();

/** Some payloads of each feed that show its forms. */
export const PAYLOADS: readonly ExpectedPayload[] = [
  {
    feed: 'session.info',
    seconds: 0,
    content: {
      data: {
        sessionKey: 9904,
        type: 'Practice',
        name: 'Practice 1',
        meetingKey: 1900,
        meetingName: 'Lakeland Grand Prix',
        officialName: 'FORMULA GOLDEN LAKELAND GRAND PRIX 2026',
        round: 6,
        location: 'Mereside',
        countryCode: 'LKD',
        countryName: 'Lakeland',
        circuitKey: 190,
        circuitName: 'Mereside',
        startUtc: '2026-06-05T09:30:00.000Z',
        endUtc: '2026-06-05T10:30:00.000Z',
        gmtOffset: '02:00:00',
        archivePath: '2026/2026-06-07_Lakeland_Grand_Prix/2026-06-05_Practice_1/',
      },
    },
  },
  {
    feed: 'timing.data',
    seconds: 205.4,
    content: {
      drivers: [
        {
          ...driver('3', 1),
          lapsCompleted: 2,
          showPosition: true,
          statusFlags: 65,
          lastLap: { time: { display: '1:03.204', ms: 63204 }, overallFastest: true, personalFastest: true },
          bestLap: { time: { display: '1:03.204', ms: 63204 }, lap: 2 },
        },
      ],
    },
  },
  {
    feed: 'timing.data',
    seconds: 217.1,
    content: {
      drivers: [
        { ...driver('7', 3), previousPosition: 2 },
        { ...driver('22', 4), previousPosition: 3 },
        { ...driver('41', 5), previousPosition: 4 },
        { ...driver('66', 6), previousPosition: 5 },
        {
          driverId: 'maren-osterlund',
          number: '88',
          tla: 'OST',
          name: 'Maren Osterlund',
          team: 'Foxglove',
          constructorId: 'foxglove',
          position: 2,
          previousPosition: 6,
          gapToAhead: { display: '+1.667', seconds: 1.667 },
          gapToFastest: { display: '+1.667', seconds: 1.667 },
          lapsCompleted: 2,
          showPosition: true,
          statusFlags: 65,
          lastLap: { time: { display: '1:04.871', ms: 64871 }, personalFastest: true },
          bestLap: { time: { display: '1:04.871', ms: 64871 }, lap: 2 },
        },
      ],
    },
  },
  { feed: 'timing.data', seconds: 700, content: { drivers: [], session: { withheld: true } } },
  {
    feed: 'timing.driver-info',
    seconds: 20,
    content: {
      drivers: [
        {
          driverId: 'maren-osterlund',
          number: '88',
          tla: 'OST',
          name: 'Maren Osterlund',
          team: 'Foxglove',
          constructorId: 'foxglove',
          position: 6,
          firstName: 'Maren',
          lastName: 'Osterlund',
          broadcastName: 'M OSTERLUND',
        },
      ],
    },
  },
  { feed: 'timing.top-three', seconds: 700, content: { drivers: [], session: { withheld: true } } },
  {
    feed: 'tire.stints',
    seconds: 210,
    content: { drivers: [{ ...driver('3', 1), stints: [{ stint: 1, totalLaps: 2 }] }] },
  },
  {
    feed: 'tire.stints',
    seconds: 95,
    content: {
      drivers: [
        {
          ...driver('7', 2),
          stints: [{ stint: 1, compound: 'HARD', isNew: false, tiresChanged: true, totalLaps: 4, startLaps: 0 }],
        },
      ],
    },
  },
  { feed: 'session.status', seconds: 60, content: { data: { status: 'started', partStatus: 'started' } } },
  { feed: 'track.status', seconds: 300, content: { data: { status: 'yellow', code: 2 } } },
];
