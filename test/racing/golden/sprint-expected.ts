// What the golden sprint must derive: its race events, and some payloads of each feed.

import type { ExpectedPayload } from './derived-payloads.ts';
import { driver } from './entrants.ts';

/** Race events as `seconds lap type drivers: details`, without personal bests. */
export const EVENTS = `
120.0 L1 session_start: sessionType Sprint
248.8 L2 fastest_lap OKE: lap 2, time 1:02.375
249.0 L3 fastest_lap HOL: lap 2, time 1:02.348
260.0 L3 rain_start
268.7 L3 position_lost YIL: cause start, places 1, position 6
268.7 L3 position_gained ARA: cause start, places 1, position 5
268.7 L3 position_gained MAR: cause start, places 1, position 3
268.7 L3 position_lost COS: cause start, places 1, position 4
292.5 L3 battle_start OKE HOL: gapMs 269, position 1
292.5 L3 battle_start MAR COS: gapMs 174, position 3
292.5 L3 battle_start COS ARA: gapMs 165, position 4
292.5 L3 battle_start YIL KOW: gapMs 939, position 6
292.5 L3 battle_start KOW ABE: gapMs 932, position 7
313.4 L4 milestone: lapsCompleted 3, percent 25, totalLaps 11
313.6 L4 pit_entry OKE: stop 1
313.6 L4 battle_end HOL OKE: cause pits, durationMs 64549, gapMs 259, position 1
328.7 L4 pit_exit OKE: pitLaneMs 15100, stop 1
328.7 L4 overtake ARA COS: overtaken COS P4-P5, overtakenNumber 88, overtaking ARA P5-P3, position 3
328.7 L4 position_gained HOL: cause pit_stop, places 1, position 1
328.7 L4 lead_change HOL OKE: previousLeaderNumber 7
328.7 L4 battle_end MAR COS: cause order, durationMs 78463, gapMs 273, position 2
329.7 L4 pit_stop OKE: pitLaneMs 15100, source pit_lane_times, stop 1
334.4 L4 position_lost OKE: cause pit_stop, places 4, position 5
334.4 L4 position_gained ARA: cause pit_stop, places 1, position 3
334.4 L4 position_gained MAR: cause pit_stop, places 1, position 2
334.4 L4 position_gained COS: cause pit_stop, places 1, position 4
353.3 L4 tire_change OKE: compound INTERMEDIATE, newTires true, previousCompound SOFT, stint 2, tireAgeLaps 0
353.3 L4 battle_start MAR ARA: gapMs 295, position 2
354.4 L4 position_gained YIL: cause pit_stop, places 1, position 5
359.6 L4 position_lost OKE: cause pit_stop, places 3, position 8
359.6 L4 position_gained ABE: cause pit_stop, places 1, position 7
359.6 L4 position_gained KOW: cause pit_stop, places 1, position 6
381.8 L4 pit_entry HOL: stop 1
383.4 L5 pit_entry MAR: stop 1
383.4 L5 battle_end ARA MAR: cause pits, durationMs 68471, gapMs 285, position 1
383.9 L5 pit_entry COS: stop 1
383.9 L5 battle_end ARA COS: cause pits, durationMs 133462, gapMs 236, position 1
386.6 L5 pit_entry YIL: stop 1
386.6 L5 battle_end YIL KOW: cause pits, durationMs 133781, gapMs 1223, position 5
397.2 L5 pit_exit HOL: pitLaneMs 15400, stop 1
397.2 L5 lead_change ARA HOL: previousLeaderNumber 3
398.2 L5 pit_stop HOL: pitLaneMs 15400, source pit_lane_times, stop 1
398.7 L5 pit_exit COS: pitLaneMs 14800, stop 1
398.7 L5 position_lost HOL: cause pit_stop, places 1, position 2
398.7 L5 position_gained ARA: cause pit_stop, places 2, position 1
399.3 L5 pit_exit MAR: pitLaneMs 15900, stop 1
399.3 L5 position_lost MAR: cause pit_stop, places 1, position 3
399.7 L5 pit_stop COS: pitLaneMs 14800, source pit_lane_times, stop 1
399.7 L5 fastest_pit_stop COS: measure pit_lane, pitLaneMs 14800, stop 1
400.3 L5 pit_stop MAR: pitLaneMs 15900, source pit_lane_times, stop 1
401.9 L5 pit_exit YIL: pitLaneMs 15300, stop 1
401.9 L5 double_stack COS YIL: apartMs 2636
403.8 L5 position_lost YIL: cause pit_stop, places 2, position 7
403.8 L5 position_gained ABE: cause pit_stop, places 1, position 6
403.8 L5 position_gained KOW: cause pit_stop, places 1, position 5
421.8 L5 pit_stop YIL: pitLaneMs 15300, source timing, stop 1
421.8 L5 tire_change HOL: compound INTERMEDIATE, newTires true, previousCompound SOFT, stint 2, tireAgeLaps 0
421.8 L5 tire_change COS: compound INTERMEDIATE, newTires true, previousCompound SOFT, stint 2, tireAgeLaps 0
421.8 L5 tire_change MAR: compound INTERMEDIATE, newTires true, previousCompound SOFT, stint 2, tireAgeLaps 0
422.9 L5 tire_change YIL: compound INTERMEDIATE, newTires true, previousCompound MEDIUM, stint 2, tireAgeLaps 0
423.9 L5 position_gained KOW: cause pit_stop, places 3, position 2
426.4 L5 position_lost HOL: cause pit_stop, places 2, position 4
426.4 L5 position_gained ABE: cause pit_stop, places 3, position 3
448.8 L5 position_gained OKE: cause pit_stop, places 1, position 7
448.8 L5 position_lost YIL: cause pit_stop, places 1, position 8
448.8 L5 position_lost MAR: cause pit_stop, places 3, position 6
448.8 L5 position_lost COS: cause pit_stop, places 1, position 5
451.8 L5 pit_entry ARA: stop 1
453.9 L5 battle_start COS MAR: gapMs 285, position 5
456.9 L6 pit_entry KOW: stop 1
456.9 L6 battle_end KOW ABE: cause pits, durationMs 203252, gapMs 1471, position 2
456.9 L6 battle_start OKE YIL: gapMs 479, position 7
467.4 L6 pit_exit ARA: pitLaneMs 15600, stop 1
468.4 L6 pit_stop ARA: pitLaneMs 15600, source pit_lane_times, stop 1
472.1 L6 pit_exit KOW: pitLaneMs 15200, stop 1
473.1 L6 pit_stop KOW: pitLaneMs 15200, source pit_lane_times, stop 1
473.2 L6 position_gained ABE: cause pit_stop, places 1, position 2
473.2 L6 position_lost KOW: cause pit_stop, places 1, position 3
494.3 L6 tire_change ARA: compound INTERMEDIATE, newTires true, previousCompound SOFT, stint 2, tireAgeLaps 0
494.3 L6 tire_change KOW: compound INTERMEDIATE, newTires true, previousCompound MEDIUM, stint 2, tireAgeLaps 0
494.3 L6 lead_change ABE ARA: previousLeaderNumber 11
496.9 L6 position_lost ARA: cause pit_stop, places 1, position 2
496.9 L6 position_gained ABE: cause pit_stop, places 1, position 1
509.9 L6 battle_end COS MAR: cause order, durationMs 85964, gapMs 181, position 4
514.9 L6 position_gained HOL: cause pit_stop, places 1, position 3
514.9 L6 position_lost KOW: cause pit_stop, places 2, position 5
514.9 L6 position_gained COS: cause pit_stop, places 1, position 4
514.9 L6 stopped ABE: lapsCompleted 5
516.9 L6 yellow_flag
522.9 L6 red_flag
522.9 L6 battle_end OKE YIL: cause neutralised, durationMs 96187, gapMs 866, position 7
523.9 L6 session_aborted
540.0 L6 investigation ABE KOW: reason CAUSING A COLLISION, stage noted, turn 7
544.9 L6 retirement ABE: announced true, cause collision 50, lapsCompleted 5
549.6 L7 milestone: lapsCompleted 6, percent 50, totalLaps 11
774.9 L7 tire_change ARA: compound INTERMEDIATE, newTires true, previousCompound INTERMEDIATE, stint 3, tireAgeLaps 0
774.9 L7 tire_change COS: compound INTERMEDIATE, newTires true, previousCompound INTERMEDIATE, stint 3, tireAgeLaps 0
774.9 L7 tire_change HOL: compound INTERMEDIATE, newTires true, previousCompound INTERMEDIATE, stint 3, tireAgeLaps 0
774.9 L7 tire_change KOW: compound INTERMEDIATE, newTires true, previousCompound INTERMEDIATE, stint 3, tireAgeLaps 0
991.0 L7 safety_car_deployed
992.0 L7 session_resumed
1045.0 L7 safety_car_ending
1088.0 L7 track_clear
1118.0 L8 penalty MAR: penalty drive_through, reason SPEEDING IN THE PIT LANE
1160.0 L9 rain_stop
1201.5 L9 battle_start COS HOL: gapMs 690, position 2
1201.5 L9 battle_start KOW MAR: gapMs 784, position 4
1201.5 L9 stopped YIL: lapsCompleted 8
1204.5 L9 yellow_flag
1228.2 L10 milestone: lapsCompleted 9, percent 75, totalLaps 11
1234.5 L10 track_clear
1234.7 L10 pit_entry MAR: stop 2
1234.7 L10 battle_end KOW MAR: cause pits, durationMs 70158, gapMs 633, position 4
1247.2 L10 pit_exit MAR: pitLaneMs 12500, stop 2
1250.4 L10 position_gained OKE: cause penalty, places 1, position 5
1250.4 L10 position_lost MAR: cause penalty, places 1, position 6
1296.2 L11 milestone: lapsCompleted 10, percent 90, totalLaps 11
1296.2 L11 retirement YIL: announced false, cause stopped, lapsCompleted 8
1316.8 L11 overtake HOL COS: overtaken COS P2-P3, overtakenNumber 88, overtaking HOL P3-P2, position 2
1316.8 L11 battle_start KOW OKE: gapMs 695, position 4
1317.4 L11 penalty_served MAR: penalty drive_through, reason SPEEDING IN THE PIT LANE
1362.9 L11 chequered_flag
1382.9 L11 battle_end HOL COS: cause neutralised, durationMs 221413, gapMs 631, position 2
1382.9 L11 battle_end KOW OKE: cause neutralised, durationMs 101513, gapMs 128, position 4
1482.9 L11 session_end: sessionType Sprint, winner ARA
`.trim();

/** Some payloads of each feed that show its forms. */
export const PAYLOADS: readonly ExpectedPayload[] = [
  {
    feed: 'weather.data',
    seconds: 260,
    content: {
      data: {
        airTempC: 17.4,
        trackTempC: 23,
        humidityPercent: 91,
        pressureHpa: 1002.7,
        rainfall: true,
        windDirectionDegrees: 215,
        windSpeedMps: 5.6,
      },
      lap: 3,
    },
  },
  {
    feed: 'weather.data',
    seconds: 774.9,
    content: {
      data: {
        airTempC: 17.4,
        trackTempC: 21,
        humidityPercent: 91,
        pressureHpa: 1002.7,
        rainfall: true,
        windDirectionDegrees: 215,
        windSpeedMps: 5.6,
      },
      lap: 7,
    },
  },
  { feed: 'session.status', seconds: 523.9, content: { data: { status: 'aborted', partStatus: 'started' }, lap: 6 } },
  {
    feed: 'session.data',
    seconds: 991,
    content: {
      data: { series: [], statusSeries: [{ index: 7, utc: '2026-06-06T10:14:31.000Z', trackStatus: 'safety_car' }] },
      lap: 7,
    },
  },
  { feed: 'track.status', seconds: 522.9, content: { data: { status: 'red', code: 5 }, lap: 6 } },
  {
    feed: 'race-control.messages',
    seconds: 1241.5,
    content: {
      data: { index: 1, utc: '2026-06-06T09:59:58.000Z', message: 'STANDING START (CORRECTED)', category: 'Other' },
      lap: 10,
    },
  },
  {
    feed: 'timing.data',
    seconds: 634.9,
    content: {
      drivers: [
        { ...driver('3', 3), previousPosition: 2 },
        { ...driver('22', 5), previousPosition: 3 },
        { ...driver('50', 4), previousPosition: 5 },
        { ...driver('88', 2), previousPosition: 4 },
      ],
      lap: 7,
    },
  },
  {
    feed: 'timing.data',
    seconds: 1027.3,
    content: {
      drivers: [
        {
          ...driver('11', 1),
          sectors: [
            {
              sector: 1,
              time: { display: '477.675', ms: 477675 },
              segments: [
                { segment: 1, status: 2048 },
                { segment: 2, status: 2048 },
              ],
            },
          ],
          speeds: { intermediate1: { kph: 206 } },
        },
      ],
      lap: 7,
    },
  },
  {
    feed: 'tire.stints',
    seconds: 714.9,
    content: {
      drivers: [
        {
          ...driver('11', 1),
          stints: [{ stint: 3, compound: 'INTERMEDIATE', isNew: true, tiresChanged: true, totalLaps: 0, startLaps: 0 }],
        },
      ],
      lap: 7,
    },
  },
  {
    feed: 'tire.stints',
    seconds: 774.9,
    content: {
      drivers: [
        {
          ...driver('7', 6),
          stints: [{ stint: 3, compound: 'INTERMEDIATE', isNew: true, tiresChanged: true, totalLaps: 0, startLaps: 0 }],
        },
        {
          ...driver('9', 7),
          stints: [{ stint: 3, compound: 'INTERMEDIATE', isNew: true, tiresChanged: true, totalLaps: 0, startLaps: 0 }],
        },
        {
          ...driver('22', 5),
          stints: [
            { stint: 3, compound: 'INTERMEDIATE', isNew: false, tiresChanged: false, totalLaps: 2, startLaps: 2 },
          ],
        },
      ],
      lap: 7,
    },
  },
  {
    feed: 'pit-lane.times',
    seconds: 1001,
    content: {
      drivers: [{ ...driver('11', 1), pitLaneTime: { display: '446.4', ms: 446400 }, lap: 6, interrupted: true }],
      lap: 7,
    },
  },
];
