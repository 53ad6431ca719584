// What the golden qualifying must derive: its race events, and some payloads of each feed.

import type { ExpectedPayload } from './derived-payloads.ts';
import { driver } from './entrants.ts';

/** Race events as `seconds lap type drivers: details`, without personal bests. */
export const EVENTS = `
90.0 penalty ABE: penalty grid, places 3, reason IMPEDING CAR 18 (VIR) IN PRACTICE
95.0 penalty DUN: penalty other, reason WALKING ON TRACK
180.0 session_start: sessionType Qualifying
180.0 segment_start: part 1
190.0 pit_exit HOL
194.0 pit_exit ARA
202.0 pit_exit OKE
207.0 pit_exit VIR
211.0 pit_exit MAR
216.0 pit_exit DUN
220.0 pit_exit SAT
225.0 pit_exit BEZ
229.0 pit_exit LIN
234.0 pit_exit NAV
238.0 pit_exit COS
243.0 pit_exit YIL
247.0 pit_exit KOW
252.0 pit_exit ABE
323.6 fastest_lap HOL: lap 2, part 1, time 1:01.402
335.5 fastest_lap OKE: lap 2, part 1, time 1:01.310
401.4 pit_entry HOL: stop 1
405.7 pit_entry ARA: stop 1
413.3 pit_entry OKE: stop 1
418.9 pit_entry VIR: stop 1
422.7 pit_entry MAR: stop 1
428.1 pit_entry DUN: stop 1
432.0 pit_entry SAT: stop 1
437.3 pit_entry BEZ: stop 1
440.6 pit_entry LIN: stop 1
446.5 pit_entry NAV: stop 1
448.0 pit_exit HOL: pitLaneMs 46598, stop 1
450.0 pit_exit MAR: pitLaneMs 27298, stop 1
450.6 pit_entry COS: stop 1
455.4 pit_entry YIL: stop 1
456.0 pit_exit OKE: pitLaneMs 42690, stop 1
459.2 pit_entry KOW: stop 1
461.0 pit_exit ARA: pitLaneMs 55345, stop 1
464.9 pit_entry ABE: stop 1
465.0 pit_exit LIN: pitLaneMs 24410, stop 1
465.0 pit_exit VIR: pitLaneMs 46060, stop 1
468.0 pit_exit COS: pitLaneMs 17395, stop 1
472.0 pit_exit DUN: pitLaneMs 43880, stop 1
476.0 pit_exit SAT: pitLaneMs 43985, stop 1
478.0 pit_exit YIL: pitLaneMs 22650, stop 1
480.0 pit_exit BEZ: pitLaneMs 42699, stop 1
482.0 pit_exit ABE: pitLaneMs 17060, stop 1
484.0 pit_exit NAV: pitLaneMs 37520, stop 1
488.0 pit_exit KOW: pitLaneMs 28810, stop 1
581.1 fastest_lap HOL: lap 5, part 1, time 1:00.911
620.0 segment_end: part 1
620.0 chequered_flag
646.6 lap_deleted COS: lap 5, reason TRACK LIMITS, time 1:01.650, turn 4
804.0 knocked_out ABE: part 1, position 13
804.0 knocked_out COS: part 1, position 14
860.0 segment_start: part 2
872.0 pit_exit HOL: stop 1
876.0 pit_exit ARA: stop 1
880.0 pit_exit OKE: stop 1
885.0 pit_exit VIR: stop 1
889.0 pit_exit MAR: stop 1
893.0 pit_exit DUN: stop 1
898.0 pit_exit SAT: stop 1
903.0 pit_exit BEZ: stop 1
907.0 pit_exit LIN: stop 1
911.0 pit_exit NAV: stop 1
915.0 pit_exit YIL: stop 1
920.0 pit_exit KOW: stop 1
1005.1 fastest_lap HOL: lap 8, part 2, time 1:00.870
1012.9 fastest_lap OKE: lap 8, part 2, time 1:00.744
1065.9 stopped KOW: lapsCompleted 8
1067.9 yellow_flag
1071.9 red_flag
1072.4 session_aborted
1079.9 investigation KOW MAR: stage noted, turn 3
1085.9 retirement KOW: announced true, cause incident 22, lapsCompleted 8
1135.9 track_clear
1165.9 session_resumed
1182.0 pit_exit LIN: stop 1
1186.0 pit_exit SAT: stop 1
1190.0 pit_exit HOL: stop 1
1194.0 pit_exit VIR: stop 1
1198.0 pit_exit ARA: stop 1
1202.0 pit_exit OKE: stop 1
1206.0 pit_exit MAR: stop 1
1210.0 pit_exit DUN: stop 1
1214.0 pit_exit BEZ: stop 1
1218.0 pit_exit NAV: stop 1
1222.0 pit_exit YIL: stop 1
1322.6 fastest_lap HOL: lap 11, part 2, time 1:00.402
1380.0 segment_end: part 2
1380.0 chequered_flag
1584.0 knocked_out YIL: part 2, position 11
1584.0 knocked_out KOW: part 2, position 12
1640.0 segment_start: part 3
1655.0 pit_exit HOL: stop 1
1660.0 pit_exit ARA: stop 1
1665.0 pit_exit OKE: stop 1
1670.0 pit_exit VIR: stop 1
1675.0 pit_exit MAR: stop 1
1680.0 pit_exit DUN: stop 1
1685.0 pit_exit SAT: stop 1
1690.0 pit_exit BEZ: stop 1
1695.0 pit_exit LIN: stop 1
1700.0 pit_exit NAV: stop 1
1787.6 fastest_lap HOL: lap 14, part 3, time 1:00.380
1797.5 fastest_lap OKE: lap 14, part 3, time 1:00.290
1865.4 pit_entry HOL: stop 2
1870.6 pit_entry ARA: stop 2
1875.3 pit_entry OKE: stop 2
1881.0 pit_entry VIR: stop 2
1885.0 pit_exit HOL: pitLaneMs 19620, stop 2
1885.8 pit_entry MAR: stop 2
1890.0 pit_exit VIR: pitLaneMs 9045, stop 2
1891.2 pit_entry DUN: stop 2
1895.0 pit_exit ARA: pitLaneMs 24398, stop 2
1896.4 pit_entry SAT: stop 2
1900.0 pit_exit OKE: pitLaneMs 24710, stop 2
1901.5 pit_entry BEZ: stop 2
1905.0 pit_exit MAR: pitLaneMs 19220, stop 2
1905.8 pit_entry LIN: stop 2
1910.0 pit_exit BEZ: pitLaneMs 8520, stop 2
1911.7 pit_entry NAV: stop 2
1915.0 pit_exit LIN: pitLaneMs 9160, stop 2
1920.0 pit_exit NAV: pitLaneMs 8345, stop 2
2000.0 segment_end: part 3
2000.0 chequered_flag
2017.2 fastest_lap HOL: lap 17, part 3, time 59.987
2230.0 session_end: sessionType Qualifying, winner HOL
`.trim();

/** Some payloads of each feed that show its forms. */
export const PAYLOADS: readonly ExpectedPayload[] = [
  {
    feed: 'session.data',
    seconds: 800,
    content: { data: { series: [{ index: 2, utc: '2026-06-06T14:10:20.000Z', qualifyingPart: 2 }], statusSeries: [] } },
  },
  {
    feed: 'session.clock',
    seconds: 1072.9,
    content: {
      data: { utc: '2026-06-06T14:14:52.870Z', remaining: { display: '00:05:10', ms: 310000 }, running: false },
    },
  },
  {
    feed: 'timing.data',
    seconds: 335.5,
    content: {
      drivers: [
        {
          ...driver('3', 2),
          previousPosition: 1,
          lastLap: { overallFastest: false },
          qualifyingParts: [
            {
              part: 1,
              gapToFastest: { display: '+0.092', seconds: 0.092 },
              gapToAhead: { display: '+0.092', seconds: 0.092 },
            },
          ],
        },
        {
          ...driver('7', 1),
          previousPosition: 3,
          lapsCompleted: 2,
          showPosition: true,
          statusFlags: 65,
          lastLap: { time: { display: '1:01.310', ms: 61310 }, overallFastest: true, personalFastest: true },
          bestLap: { time: { display: '1:01.310', ms: 61310 }, lap: 2 },
          qualifyingParts: [{ part: 1, bestLap: { time: { display: '1:01.310', ms: 61310 }, lap: 2 } }],
        },
        {
          ...driver('11', 3),
          previousPosition: 2,
          qualifyingParts: [{ part: 1, gapToFastest: { display: '+0.345', seconds: 0.345 } }],
        },
      ],
    },
  },
  {
    feed: 'timing.data',
    seconds: 647.6,
    content: {
      drivers: [
        { ...driver('5', 7), previousPosition: 8 },
        { ...driver('9', 12), previousPosition: 13, inDropZone: false },
        { ...driver('14', 9), previousPosition: 10 },
        { ...driver('27', 11), previousPosition: 12 },
        { ...driver('36', 13), previousPosition: 14 },
        { ...driver('41', 8), previousPosition: 9 },
        { ...driver('50', 10), previousPosition: 11 },
        {
          ...driver('88', 14),
          previousPosition: 7,
          inDropZone: true,
          bestLap: { time: { display: '1:02.605', ms: 62605 }, lap: 2 },
          qualifyingParts: [{ part: 1, bestLap: { time: { display: '1:02.605', ms: 62605 }, lap: 2 } }],
        },
      ],
    },
  },
  {
    feed: 'timing.data',
    seconds: 690,
    content: { drivers: [], session: { cutOff: { display: '1:05.174', ms: 65174 } } },
  },
  { feed: 'timing.data', seconds: 800, content: { drivers: [], session: { part: 2, cutOff: null } } },
  {
    feed: 'timing.stats',
    seconds: 335.4,
    content: {
      drivers: [{ ...driver('7', 3), bestSectors: [{ sector: 3, time: { display: '19.619', ms: 19619 }, rank: 1 }] }],
    },
  },
  {
    feed: 'timing.stats',
    seconds: 335.7,
    content: {
      drivers: [
        { ...driver('3', 2), bestLap: { rank: 2 } },
        { ...driver('7', 1), bestLap: { time: { display: '1:01.310', ms: 61310 }, lap: 2, rank: 1 } },
        { ...driver('11', 3), bestLap: { rank: 3 } },
      ],
    },
  },
  {
    feed: 'timing.top-three',
    seconds: 583.8,
    content: {
      drivers: [
        {
          ...driver('22', 2),
          line: 2,
          showPosition: true,
          lapTime: { display: '1:01.274', ms: 61274 },
          lapFlags: 65,
          gapToAhead: { display: '+0.363', seconds: 0.363 },
          gapToLeader: { display: '+0.363', seconds: 0.363 },
          overallFastest: false,
          personalFastest: true,
        },
        {
          ...driver('7', 3),
          line: 3,
          showPosition: true,
          lapTime: { display: '1:01.310', ms: 61310 },
          lapFlags: 65,
          gapToAhead: { display: '+0.036', seconds: 0.036 },
          gapToLeader: { display: '+0.399', seconds: 0.399 },
          overallFastest: false,
          personalFastest: true,
        },
      ],
    },
  },
  {
    feed: 'timing.driver-info',
    seconds: 1013,
    content: {
      drivers: [
        { ...driver('3', 2), line: 2 },
        { ...driver('7', 1), line: 1 },
        { ...driver('11', 3), line: 3 },
      ],
    },
  },
  {
    feed: 'tire.stints',
    seconds: 830,
    content: {
      drivers: [
        {
          ...driver('3', 1),
          stints: [{ stint: 2, compound: 'SOFT', isNew: true, tiresChanged: true, totalLaps: 0, startLaps: 0 }],
        },
      ],
    },
  },
  {
    feed: 'timing.app-data',
    seconds: 1260,
    content: {
      drivers: [
        { ...driver('3', 2), stintLaps: [{ stint: 2, time: { display: '1:00.402', ms: 60402 }, lap: 8, lapFlags: 1 }] },
      ],
    },
  },
  { feed: 'session.status', seconds: 1072.4, content: { data: { status: 'aborted', partStatus: 'started' } } },
];
