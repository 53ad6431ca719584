// What the golden race must derive: its race events, and some payloads of each feed.

import type { ExpectedPayload } from './derived-payloads.ts';
import { driver } from './entrants.ts';

/** Race events as `seconds lap type drivers: details`, without personal bests. */
export const EVENTS = `
1.0 L1 drs_disabled
120.0 L1 session_start: sessionType Race
203.8 L2 investigation: stage noted
253.4 L2 fastest_lap HOL: lap 2, time 1:04.642
253.4 L2 drs_enabled
273.4 L3 position_lost OKE: cause start, places 1, position 3
273.4 L3 position_gained ARA: cause start, places 1, position 2
273.4 L3 position_lost BEZ: cause start, places 1, position 9
273.4 L3 position_lost SAT: cause start, places 1, position 8
273.4 L3 position_gained LIN: cause start, places 2, position 7
278.4 L3 investigation ARA OKE: stage no_further_action, turn 6
297.3 L3 battle_start ARA OKE: gapMs 162, position 2
297.3 L3 battle_start MAR VIR: gapMs 786, position 4
297.3 L3 battle_start VIR DUN: gapMs 128, position 5
297.3 L3 battle_start DUN LIN: gapMs 381, position 6
297.3 L3 battle_start LIN SAT: gapMs 776, position 7
297.3 L3 battle_start SAT BEZ: gapMs 465, position 8
318.0 L3 fastest_lap HOL: lap 3, time 1:04.574
329.0 L4 lap_deleted DUN: lap 3, reason TRACK LIMITS, time 1:05.201, turn 11
402.6 L5 overtake LIN DUN: overtaken DUN P6-P7, overtakenNumber 5, overtaking LIN P7-P5, position 5
402.6 L5 overtake LIN VIR: overtaken VIR P5-P6, overtakenNumber 18, overtaking LIN P7-P5, position 5
402.6 L5 battle_end MAR VIR: cause order, durationMs 146310, gapMs 1108, position 4
402.6 L5 battle_end LIN DUN: cause order, durationMs 145738, gapMs 10, position 5
402.6 L5 battle_end LIN SAT: cause order, durationMs 145119, gapMs 1583, position 5
426.4 L5 battle_start LIN VIR: gapMs 132, position 5
430.8 L5 investigation LIN SAT: reason CAUSING A COLLISION, stage noted, turn 4
447.0 L5 fastest_lap HOL: lap 5, time 1:04.455
447.1 L6 milestone: lapsCompleted 5, percent 25, totalLaps 18
452.0 L6 black_and_white_flag DUN
467.0 L6 battle_start DUN SAT: gapMs 637, position 7
471.6 L6 investigation LIN SAT: reason CAUSING A COLLISION, stage under_investigation, turn 4
502.4 L6 battle_start MAR LIN: gapMs 930, position 4
511.4 L6 battle_end SAT BEZ: cause gap, durationMs 253456, gapMs 2942, position 8
511.4 L6 fastest_lap HOL: lap 6, time 1:04.317
513.6 L7 pit_entry ARA: stop 1
513.6 L7 battle_end OKE ARA: cause pits, durationMs 258983, gapMs 337, position 2
529.0 L7 pit_exit ARA: pitLaneMs 15400, stop 1
529.0 L7 position_gained OKE: cause pit_stop, places 1, position 2
529.0 L7 battle_end MAR LIN: cause order, durationMs 57395, gapMs 930, position 3
530.0 L7 pit_stop ARA: pitLaneMs 15400, source pit_lane_times, stop 1
531.3 L7 position_lost ARA: cause pit_stop, places 2, position 4
531.3 L7 position_gained MAR: cause pit_stop, places 1, position 3
548.7 L7 team_radio HOL: radioPath TeamRadio/HOL_1.mp3
550.9 L7 tire_change ARA: compound HARD, newTires true, previousCompound SOFT, stint 2, tireAgeLaps 0
552.0 L7 position_gained LIN: cause pit_stop, places 1, position 4
555.1 L7 position_gained DUN: cause pit_stop, places 1, position 6
555.1 L7 position_gained VIR: cause pit_stop, places 1, position 5
555.1 L7 position_gained SAT: cause pit_stop, places 1, position 7
558.3 L7 position_gained BEZ: cause pit_stop, places 1, position 8
559.2 L7 position_lost ARA: cause pit_stop, places 6, position 10
559.2 L7 position_gained NAV: cause pit_stop, places 1, position 9
566.5 L7 battle_start MAR LIN: gapMs 793, position 3
576.2 L7 pit_entry HOL: stop 1
583.9 L8 pit_entry DUN: stop 1
583.9 L8 battle_end VIR DUN: cause pits, durationMs 327510, gapMs 1604, position 5
583.9 L8 battle_end DUN SAT: cause pits, durationMs 150789, gapMs 1025, position 6
588.5 L8 lead_change OKE HOL: previousLeaderNumber 3
590.7 L8 team_radio ARA: radioPath TeamRadio/ARA_1.mp3
591.1 L8 pit_exit HOL: pitLaneMs 14900, stop 1
594.1 L8 pit_stop HOL: pitLaneMs 14900, source pit_stop_series, stationaryMs 2400, stop 1
595.2 L8 position_lost HOL: cause pit_stop, places 1, position 2
595.2 L8 position_gained OKE: cause pit_stop, places 1, position 1
599.2 L8 pit_exit DUN: pitLaneMs 15300, stop 1
599.9 L8 position_lost DUN: cause pit_stop, places 1, position 7
599.9 L8 position_gained SAT: cause pit_stop, places 1, position 6
602.2 L8 pit_stop DUN: pitLaneMs 15300, source pit_stop_series, stationaryMs 2800, stop 1
612.9 L8 tire_change HOL: compound HARD, newTires true, previousCompound SOFT, stint 2, tireAgeLaps 0
615.1 L8 position_gained MAR: cause pit_stop, places 1, position 2
616.2 L8 position_gained LIN: cause pit_stop, places 1, position 3
621.1 L8 tire_change DUN: compound MEDIUM, newTires true, previousCompound SOFT, stint 2, tireAgeLaps 0
621.1 L8 position_gained VIR: cause pit_stop, places 1, position 4
621.1 L8 position_gained SAT: cause pit_stop, places 1, position 5
623.7 L8 position_gained BEZ: cause pit_stop, places 2, position 6
624.4 L8 penalty LIN: penalty time, reason CAUSING A COLLISION, seconds 5
626.8 L8 position_lost HOL: cause pit_stop, places 6, position 8
626.8 L8 position_gained NAV: cause pit_stop, places 2, position 7
631.6 L8 position_lost DUN: cause pit_stop, places 3, position 10
631.6 L8 position_gained ARA: cause pit_stop, places 1, position 9
636.6 L8 championship_change OKE HOL: championship drivers, points 137, previousLeaderNumber 3
636.6 L8 championship_change: championship teams, constructorId borealis, points 227, previousConstructorId aster-racing, previousTeam Aster Racing, team Borealis
642.0 L8 fastest_lap OKE: lap 8, time 1:04.224
646.9 L9 pit_entry VIR: stop 1
646.9 L9 battle_end LIN VIR: cause pits, durationMs 260003, gapMs 1259, position 3
649.9 L9 pit_entry SAT: stop 1
652.4 L9 position_gained HOL: cause pit_stop, places 1, position 7
652.4 L9 position_lost NAV: cause pit_stop, places 1, position 8
652.9 L9 pit_entry BEZ: stop 1
659.4 L9 fastest_lap ARA: lap 8, time 1:04.133
661.9 L9 pit_exit VIR: pitLaneMs 15000, stop 1
664.9 L9 pit_stop VIR: pitLaneMs 15000, source pit_stop_series, stationaryMs 2500, stop 1
665.1 L9 pit_exit SAT: pitLaneMs 15200, stop 1
668.1 L9 pit_stop SAT: pitLaneMs 15200, source pit_stop_series, stationaryMs 2700, stop 1
672.7 L9 pit_exit BEZ: pitLaneMs 19800, stop 1
672.7 L9 double_stack SAT BEZ: apartMs 2986
672.7 L9 battle_start HOL NAV: gapMs 767, position 7
675.7 L9 pit_stop BEZ: pitLaneMs 19800, source pit_stop_series, stationaryMs 7300, stop 1
683.8 L9 tire_change VIR: compound HARD, newTires true, previousCompound MEDIUM, stint 2, tireAgeLaps 0
686.6 L9 tire_change SAT: compound HARD, newTires true, previousCompound MEDIUM, stint 2, tireAgeLaps 0
694.8 L9 tire_change BEZ: compound HARD, newTires true, previousCompound MEDIUM, stint 2, tireAgeLaps 0
694.8 L9 position_gained HOL: cause pit_stop, places 3, position 4
694.8 L9 position_gained ARA: cause pit_stop, places 3, position 6
694.8 L9 position_lost VIR: cause pit_stop, places 3, position 7
694.8 L9 position_gained NAV: cause pit_stop, places 3, position 5
701.5 L9 position_gained DUN: cause pit_stop, places 2, position 8
701.5 L9 position_lost BEZ: cause pit_stop, places 4, position 10
701.5 L9 position_lost SAT: cause pit_stop, places 4, position 9
706.7 L9 pit_entry OKE: stop 1
709.2 L10 milestone: lapsCompleted 9, percent 50, totalLaps 18
709.2 L10 pit_entry MAR: stop 1
709.2 L10 battle_end MAR LIN: cause pits, durationMs 173085, gapMs 554, position 2
712.2 L10 investigation MAR: reason UNSAFE RELEASE, stage after_session
718.7 L10 battle_end HOL NAV: cause gap, durationMs 81798, gapMs 3604, position 4
720.8 L10 fastest_lap HOL: lap 9, time 1:03.706
721.4 L10 pit_exit OKE: pitLaneMs 14700, stop 1
724.4 L10 pit_stop OKE: pitLaneMs 14700, source pit_stop_series, stationaryMs 2200, stop 1
724.4 L10 fastest_pit_stop OKE: measure stationary, pitLaneMs 14700, stationaryMs 2200, stop 1
724.8 L10 pit_exit MAR: pitLaneMs 15600, stop 1
724.8 L10 position_lost MAR: cause pit_stop, places 1, position 3
724.8 L10 position_gained LIN: cause pit_stop, places 1, position 2
735.1 L10 pit_stop MAR: pitLaneMs 15600, source pit_lane_times, stop 1
739.2 L10 drs_disabled
746.4 L10 tire_change OKE: compound HARD, newTires true, previousCompound MEDIUM, stint 2, tireAgeLaps 0
746.4 L10 tire_change MAR: compound HARD, newTires true, previousCompound MEDIUM, stint 2, tireAgeLaps 0
746.4 L10 lead_change LIN OKE: previousLeaderNumber 7
750.1 L10 position_gained LIN: cause pit_stop, places 1, position 1
765.3 L10 position_gained HOL: cause pit_stop, places 2, position 2
765.3 L10 position_lost OKE: cause pit_stop, places 2, position 3
765.3 L10 championship_change HOL OKE: championship drivers, points 145, previousLeaderNumber 7
765.3 L10 championship_change: championship teams, constructorId aster-racing, points 244, previousConstructorId borealis, previousTeam Borealis, team Aster Racing
766.4 L10 position_gained NAV: cause pit_stop, places 1, position 4
767.0 L10 position_gained ARA: cause pit_stop, places 1, position 5
767.0 L10 position_lost MAR: cause pit_stop, places 3, position 6
774.3 L10 stopped BEZ: lapsCompleted 9
777.3 L10 yellow_flag
782.4 L10 battle_start NAV ARA: gapMs 713, position 4
783.3 L10 battle_start ARA MAR: gapMs 787, position 5
783.3 L10 virtual_safety_car_deployed
783.3 L10 battle_end NAV ARA: cause neutralised, durationMs 31518, gapMs 103, position 4
783.3 L10 battle_end ARA MAR: cause neutralised, durationMs 30741, gapMs 787, position 5
822.3 L11 virtual_safety_car_ending
824.2 L11 position_gained ARA: cause other, places 1, position 4
824.2 L11 position_lost NAV: cause other, places 1, position 5
832.3 L11 track_clear
832.6 L11 drs_enabled
846.6 L11 position_gained MAR: cause other, places 1, position 5
846.6 L11 position_lost NAV: cause other, places 1, position 6
857.1 L11 pit_entry LIN: stop 1
859.6 L12 retirement BEZ: announced false, cause null, lapsCompleted 9
869.4 L12 fastest_lap HOL: lap 11, time 1:03.472
877.2 L12 pit_exit LIN: pitLaneMs 20100, stop 1
880.2 L12 pit_stop LIN: pitLaneMs 20100, source pit_stop_series, stationaryMs 7600, stop 1
891.6 L12 drs_disabled
891.6 L12 battle_start ARA MAR: gapMs 788, position 4
891.6 L12 battle_start MAR NAV: gapMs 873, position 5
898.3 L12 tire_change LIN: compound HARD, newTires true, previousCompound MEDIUM, stint 2, tireAgeLaps 0
902.7 L12 lead_change HOL LIN: previousLeaderNumber 66
906.1 L12 battle_end ARA MAR: cause stopped, durationMs 52988, gapMs 806, position 3
906.1 L12 battle_end MAR NAV: cause stopped, durationMs 52513, gapMs 1360, position 4
906.1 L12 stopped MAR: lapsCompleted 11
908.1 L12 yellow_flag
912.1 L12 safety_car_deployed
920.1 L12 position_gained HOL: cause pit_stop, places 1, position 1
920.1 L12 position_gained DUN: cause pit_stop, places 1, position 7
920.1 L12 position_gained OKE: cause pit_stop, places 1, position 2
920.1 L12 position_gained ARA: cause pit_stop, places 1, position 3
920.1 L12 position_gained VIR: cause pit_stop, places 1, position 6
920.1 L12 position_gained NAV: cause pit_stop, places 1, position 5
920.1 L12 position_lost LIN: cause pit_stop, places 7, position 8
920.1 L12 retirement MAR: announced true, cause null, lapsCompleted 11
935.2 L12 penalty_served LIN: penalty time, reason CAUSING A COLLISION, seconds 5
949.2 L12 position_gained DUN: cause retirement, places 1, position 6
949.2 L12 position_gained VIR: cause retirement, places 2, position 4
950.3 L13 position_gained LIN: cause retirement, places 1, position 7
951.7 L13 position_gained SAT: cause retirement, places 1, position 8
958.5 L13 pit_entry VIR: stop 2
960.4 L13 pit_entry DUN: stop 2
973.6 L13 pit_exit VIR: pitLaneMs 15100, stop 2
975.9 L13 pit_exit DUN: pitLaneMs 15500, stop 2
975.9 L13 position_lost VIR: cause pit_stop, places 1, position 5
975.9 L13 position_gained NAV: cause pit_stop, places 1, position 4
978.3 L13 position_lost DUN: cause pit_stop, places 2, position 8
978.3 L13 position_gained SAT: cause pit_stop, places 1, position 7
978.3 L13 position_gained LIN: cause pit_stop, places 1, position 6
978.9 L13 pit_stop DUN: pitLaneMs 15500, source pit_stop_series, stationaryMs 3000, stop 2
984.6 L13 pit_stop VIR: pitLaneMs 15100, source timing, stop 2
999.3 L13 tire_change VIR: compound SOFT, newTires false, previousCompound HARD, stint 3, tireAgeLaps 3
999.3 L13 tire_change DUN: compound SOFT, newTires true, previousCompound MEDIUM, stint 3, tireAgeLaps 0
1013.1 L13 position_lost VIR: cause pit_stop, places 2, position 7
1013.1 L13 position_gained SAT: cause pit_stop, places 1, position 6
1013.1 L13 position_gained LIN: cause pit_stop, places 1, position 5
1063.2 L14 safety_car_ending
1133.2 L14 track_clear
1133.2 L15 milestone: lapsCompleted 14, percent 75, totalLaps 18
1175.9 L15 battle_start HOL OKE: gapMs 885, position 1
1175.9 L15 battle_start OKE ARA: gapMs 981, position 2
1175.9 L15 battle_start NAV LIN: gapMs 458, position 4
1175.9 L15 battle_start SAT VIR: gapMs 682, position 6
1175.9 L15 battle_start VIR DUN: gapMs 900, position 7
1196.0 L15 overtake LIN NAV: overtaken NAV P4-P5, overtakenNumber 27, overtaking LIN P5-P4, position 4
1196.0 L15 fastest_lap HOL: lap 15, time 1:02.845
1196.9 L16 fastest_lap OKE: lap 15, time 1:02.798
1200.7 L16 pit_entry NAV: stop 1
1200.7 L16 battle_end LIN NAV: cause pits, durationMs 63898, gapMs 70, position 4
1216.0 L16 drs_enabled
1216.3 L16 position_gained SAT: cause pit_stop, places 1, position 5
1216.5 L16 position_gained VIR: cause pit_stop, places 1, position 6
1217.4 L16 position_gained DUN: cause pit_stop, places 1, position 7
1258.7 L16 overtake VIR SAT: overtaken SAT P5-P6, overtakenNumber 41, overtaking VIR P6-P5, position 5
1258.7 L16 battle_end VIR DUN: cause order, durationMs 119176, gapMs 853, position 5
1258.7 L16 fastest_lap HOL: lap 16, time 1:02.631
1267.7 L17 blue_flag NAV
1271.2 L17 pit_exit NAV: pitLaneMs 70500, stop 1
1271.2 L17 position_lost NAV: cause pit_stop, places 3, position 8
1274.2 L17 pit_stop NAV: pitLaneMs 70500, source pit_stop_series, stationaryMs 58000, stop 1
1278.1 L17 battle_start SAT DUN: gapMs 395, position 6
1292.6 L17 tire_change NAV: compound SOFT, newTires true, previousCompound HARD, stint 2, tireAgeLaps 0
1321.2 L17 overtake DUN SAT: overtaken SAT P6-P7, overtakenNumber 41, overtaking DUN P7-P6, position 6
1321.2 L17 battle_end VIR SAT: cause order, durationMs 182648, gapMs 497, position 5
1321.2 L17 fastest_lap HOL: lap 17, time 1:02.572
1321.3 L18 milestone: lapsCompleted 17, percent 90, totalLaps 18
1322.0 L18 fastest_lap OKE: lap 17, time 1:02.443
1329.2 L18 penalty NAV: penalty stop_and_go, reason IGNORING BLUE FLAGS, seconds 10
1340.6 L18 battle_start VIR DUN: gapMs 591, position 5
1383.7 L18 chequered_flag
1384.3 L18 fastest_lap OKE: lap 18, time 1:02.300
1458.7 L18 battle_end HOL OKE: cause neutralised, durationMs 324571, gapMs 623, position 1
1458.7 L18 battle_end OKE ARA: cause neutralised, durationMs 323671, gapMs 1934, position 2
1458.7 L18 battle_end DUN SAT: cause neutralised, durationMs 213695, gapMs 749, position 6
1458.7 L18 battle_end VIR DUN: cause neutralised, durationMs 151039, gapMs 595, position 5
1523.7 L18 session_end: sessionType Race, winner HOL
`.trim();

/** Some payloads of each feed that show its forms. */
export const PAYLOADS: readonly ExpectedPayload[] = [
  {
    feed: 'session.info',
    seconds: 0,
    content: {
      data: {
        sessionKey: 9901,
        type: 'Race',
        name: 'Race',
        meetingKey: 1900,
        meetingName: 'Lakeland Grand Prix',
        officialName: 'FORMULA GOLDEN LAKELAND GRAND PRIX 2026',
        round: 6,
        location: 'Mereside',
        countryCode: 'LKD',
        countryName: 'Lakeland',
        circuitKey: 190,
        circuitName: 'Mereside',
        startUtc: '2026-06-07T14:00:00.000Z',
        endUtc: '2026-06-07T16:00:00.000Z',
        gmtOffset: '02:00:00',
        archivePath: '2026/2026-06-07_Lakeland_Grand_Prix/2026-06-07_Race/',
      },
    },
  },
  {
    feed: 'session.status',
    seconds: 1458.7,
    content: { data: { status: 'finished', partStatus: 'finished' }, lap: 18 },
  },
  {
    feed: 'session.data',
    seconds: 382.6,
    content: { data: { series: [{ index: 4, utc: '2026-06-07T14:04:22.604Z', lap: 5 }], statusSeries: [] }, lap: 5 },
  },
  {
    feed: 'session.data',
    seconds: 783.3,
    content: {
      data: {
        series: [],
        statusSeries: [{ index: 4, utc: '2026-06-07T14:11:03.309Z', trackStatus: 'virtual_safety_car' }],
      },
      lap: 10,
    },
  },
  { feed: 'track.status', seconds: 783.3, content: { data: { status: 'virtual_safety_car', code: 6 }, lap: 10 } },
  {
    feed: 'track.status',
    seconds: 822.3,
    content: { data: { status: 'virtual_safety_car_ending', code: 7 }, lap: 11 },
  },
  {
    feed: 'race-control.messages',
    seconds: 452,
    content: {
      data: {
        index: 8,
        utc: '2026-06-07T14:05:32.000Z',
        message: 'BLACK AND WHITE FLAG FOR CAR 5 (DUN) - TRACK LIMITS',
        category: 'Flag',
        flag: 'BLACK AND WHITE',
        scope: 'Driver',
        driver: driver('5', 7),
      },
      lap: 6,
    },
  },
  {
    feed: 'race-control.messages',
    seconds: 777.3,
    content: {
      data: {
        index: 13,
        utc: '2026-06-07T14:10:57.000Z',
        message: 'DOUBLE YELLOW IN TRACK SECTOR 9',
        category: 'Flag',
        flag: 'DOUBLE YELLOW',
        scope: 'Sector',
        sector: 9,
      },
      lap: 10,
    },
  },
  {
    feed: 'race-control.messages',
    seconds: 822.3,
    content: {
      data: {
        index: 15,
        utc: '2026-06-07T14:11:42.000Z',
        message: 'VIRTUAL SAFETY CAR ENDING',
        category: 'SafetyCar',
        status: 'ENDING',
        mode: 'VIRTUAL SAFETY CAR',
      },
      lap: 11,
    },
  },
  { feed: 'lap.count', seconds: 318, content: { data: { currentLap: 4, totalLaps: 18 }, lap: 4 } },
  {
    feed: 'session.clock',
    seconds: 1459.7,
    content: {
      data: { utc: '2026-06-07T14:22:19.654Z', remaining: { display: '01:38:20', ms: 5900000 }, running: false },
      lap: 18,
    },
  },
  { feed: 'heartbeat', seconds: 307, content: { data: { utc: '2026-06-07T14:03:07.000Z' }, lap: 3 } },
  {
    feed: 'weather.data',
    seconds: 313,
    content: {
      data: {
        airTempC: 24.1,
        trackTempC: 38,
        humidityPercent: 46,
        pressureHpa: 1013.2,
        rainfall: false,
        windDirectionDegrees: 95,
        windSpeedMps: 2.1,
      },
      lap: 3,
    },
  },
  {
    feed: 'timing.driver-info',
    seconds: 1201.2,
    content: {
      drivers: [
        { ...driver('27', 6), line: 6 },
        { ...driver('41', 5), line: 5 },
      ],
      lap: 16,
    },
  },
  {
    feed: 'timing.data',
    seconds: 576.2,
    content: { drivers: [{ ...driver('3', 1), pitStops: 1, inPit: true, statusFlags: 80 }], lap: 7 },
  },
  {
    feed: 'timing.data',
    seconds: 577.8,
    content: {
      drivers: [
        { ...driver('3', 2), previousPosition: 1 },
        {
          ...driver('7', 1),
          previousPosition: 2,
          gapToLeader: { display: 'LAP 8', seconds: 0, leaderLap: 8 },
          gapToAhead: { display: 'LAP 8', seconds: 0, leaderLap: 8 },
          lapsCompleted: 7,
          sectors: [{ sector: 3, time: { display: '20.590', ms: 20590 } }],
          speeds: { finishLine: { kph: 296 } },
        },
      ],
      lap: 7,
    },
  },
  {
    feed: 'timing.data',
    seconds: 578.7,
    content: {
      drivers: [
        {
          ...driver('3', 2),
          gapToLeader: { display: '+0.920', seconds: 0.92 },
          gapToAhead: { display: '+0.920', seconds: 0.92 },
          lapsCompleted: 7,
          lastLap: { time: { display: '1:07.325', ms: 67325 }, overallFastest: false, personalFastest: false },
          sectors: [
            { sector: 3, time: { display: '23.584', ms: 23584 }, overallFastest: false, personalFastest: false },
          ],
          speeds: { finishLine: { kph: 288 } },
        },
      ],
      lap: 8,
    },
  },
  {
    feed: 'timing.data',
    seconds: 580.0,
    content: {
      drivers: [
        {
          ...driver('7', 1),
          lastLap: { time: { display: '1:04.343', ms: 64343 } },
          bestLap: { time: { display: '1:04.343', ms: 64343 }, lap: 7 },
        },
      ],
      lap: 8,
    },
  },
  {
    feed: 'timing.data',
    seconds: 774.3,
    content: {
      drivers: [{ ...driver('14', 10), stopped: true, statusFlags: 68, sectors: [{ sector: 2, stopped: true }] }],
      lap: 10,
    },
  },
  {
    feed: 'timing.data',
    seconds: 920.1,
    content: { drivers: [{ ...driver('22', 4), retired: true, statusFlags: 76 }], lap: 12 },
  },
  {
    feed: 'timing.data',
    seconds: 1271.2,
    content: {
      drivers: [
        {
          ...driver('27', 8),
          inPit: false,
          pitOut: true,
          statusFlags: 608,
          sectors: [
            { sector: 1, time: null },
            { sector: 2, time: null },
            { sector: 3, time: null },
          ],
          speeds: { intermediate1: { kph: null }, intermediate2: { kph: null }, finishLine: { kph: null } },
        },
      ],
      lap: 17,
    },
  },
  {
    feed: 'timing.data',
    seconds: 1292.6,
    content: {
      drivers: [
        {
          ...driver('27', 8),
          gapToLeader: { display: '1L', seconds: null, lapsBehind: 1 },
          gapToAhead: { display: '1L', seconds: null, lapsBehind: 1 },
          pitOut: false,
          statusFlags: 64,
          sectors: [
            {
              sector: 1,
              time: { display: '89.461', ms: 89461 },
              personalFastest: false,
              segments: [
                { segment: 1, status: 2064 },
                { segment: 2, status: 2064 },
              ],
            },
          ],
          speeds: { intermediate1: { kph: 207 } },
        },
      ],
      lap: 17,
    },
  },
  {
    feed: 'timing.app-data',
    seconds: 318.1,
    content: {
      drivers: [{ ...driver('3', 1), stintLaps: [{ stint: 1, time: { display: '1:04.574', ms: 64574 }, lap: 3 }] }],
      lap: 4,
    },
  },
  {
    feed: 'tire.stints',
    seconds: 531,
    content: {
      drivers: [
        {
          ...driver('11', 4),
          stints: [{ stint: 2, compound: 'UNKNOWN', isNew: true, tiresChanged: true, totalLaps: 0, startLaps: 0 }],
        },
      ],
      lap: 7,
    },
  },
  {
    feed: 'tire.stints',
    seconds: 535,
    content: { drivers: [{ ...driver('11', 4), stints: [{ stint: 2, compound: 'HARD' }] }], lap: 7 },
  },
  {
    feed: 'tire.stints',
    seconds: 663.3,
    content: {
      drivers: [
        {
          ...driver('18', 4),
          stints: [{ stint: 2, compound: 'HARD', isNew: true, tiresChanged: true, totalLaps: 0, startLaps: 0 }],
        },
      ],
      lap: 9,
    },
  },
  {
    feed: 'tire.current',
    seconds: 980.1,
    content: { drivers: [{ ...driver('18', 5), compound: 'SOFT', isNew: false }], lap: 13 },
  },
  {
    feed: 'timing.stats',
    seconds: 290,
    content: {
      drivers: [
        {
          ...driver('3', 1),
          bestSectors: [{ sector: 1, time: { display: '19.803', ms: 19803 }, rank: 1 }],
          bestSpeeds: { speedTrap: { kph: 318, rank: 2 } },
        },
        {
          ...driver('7', 3),
          bestSectors: [{ sector: 1, time: { display: '19.961', ms: 19961 }, rank: 2 }],
          bestSpeeds: { speedTrap: { kph: 321, rank: 1 } },
        },
      ],
      lap: 3,
    },
  },
  {
    feed: 'timing.stats',
    seconds: 320.9,
    content: {
      drivers: [
        { ...driver('22', 4), bestLap: { time: { display: '1:05.063', ms: 65063 }, lap: 3, rank: 4 } },
        { ...driver('66', 7), bestLap: { rank: 5 } },
      ],
      lap: 4,
    },
  },
  {
    feed: 'timing.stats',
    seconds: 350,
    content: {
      drivers: [
        { ...driver('7', 3), bestSpeeds: { speedTrap: { rank: 2 } } },
        {
          ...driver('66', 7),
          bestSectors: [
            { sector: 2, time: { display: '23.477', ms: 23477 }, rank: 1 },
            { sector: 3, time: { display: '20.610', ms: 20610 }, rank: 3 },
          ],
          bestSpeeds: {
            intermediate1: { kph: 244, rank: 4 },
            intermediate2: { kph: 262, rank: 1 },
            finishLine: { kph: 287, rank: 2 },
          },
        },
      ],
      lap: 4,
    },
  },
  {
    feed: 'timing.top-three',
    seconds: 578.1,
    content: {
      drivers: [
        {
          ...driver('7', 1),
          line: 1,
          showPosition: true,
          lapTime: { display: '1:04.343', ms: 64343 },
          lapFlags: 67,
          gapToAhead: { display: 'LAP 8', seconds: 0, leaderLap: 8 },
          gapToLeader: { display: 'LAP 8', seconds: 0, leaderLap: 8 },
          overallFastest: false,
          personalFastest: false,
        },
      ],
      lap: 8,
    },
  },
  {
    feed: 'timing.lap-series',
    seconds: 578.9,
    content: { drivers: [{ ...driver('3', 2), lapPositions: [{ lapsCompleted: 7, position: 2 }] }], lap: 8 },
  },
  {
    feed: 'timing.race-info',
    seconds: 277,
    content: {
      drivers: [
        { ...driver('14', 9), overtakeState: 1 },
        { ...driver('66', 7), overtakeState: 2 },
      ],
      lap: 3,
    },
  },
  {
    feed: 'timing.race-info',
    seconds: 579,
    content: {
      drivers: [
        {
          ...driver('3', 2),
          racePosition: 2,
          gapToLeader: { display: '+0.920', seconds: 0.92 },
          gapToAhead: { display: '+0.920', seconds: 0.92 },
          catchingState: 1,
        },
      ],
      lap: 8,
    },
  },
  {
    feed: 'pit-lane.times',
    seconds: 592.1,
    content: {
      drivers: [{ ...driver('3', 2), pitLaneTime: { display: '14.9', ms: 14900 }, lap: 7, interrupted: false }],
      lap: 8,
    },
  },
  {
    feed: 'pit-lane.stops',
    seconds: 594.1,
    content: {
      drivers: [
        {
          ...driver('3', 2),
          stops: [
            {
              stop: 1,
              utc: '2026-06-07T14:07:51.081Z',
              stationaryTime: { display: '2.4', ms: 2400 },
              pitLaneTime: { display: '14.9', ms: 14900 },
              lap: 7,
            },
          ],
        },
      ],
      lap: 8,
    },
  },
  {
    feed: 'team.radio',
    seconds: 548.7,
    content: {
      drivers: [
        { ...driver('7', 2), captures: [{ index: 0, utc: '2026-06-07T14:04:18.681Z', path: 'TeamRadio/OKE_1.mp3' }] },
        { ...driver('3', 1), captures: [{ index: 1, utc: '2026-06-07T14:07:04.681Z', path: 'TeamRadio/HOL_1.mp3' }] },
      ],
      lap: 7,
    },
  },
  {
    feed: 'championship.prediction',
    seconds: 602.8,
    content: {
      drivers: [
        { ...driver('3', 5), predictedPosition: 2, predictedPoints: 132 },
        { ...driver('7', 1), predictedPosition: 1, predictedPoints: 137 },
      ],
      teams: [
        {
          entrant: 'Aster Racing Vantor',
          team: 'Aster Racing',
          constructorId: 'aster-racing',
          predictedPosition: 2,
          predictedPoints: 222,
        },
        {
          entrant: 'Borealis',
          team: 'Borealis',
          constructorId: 'borealis',
          predictedPosition: 1,
          predictedPoints: 227,
        },
      ],
      lap: 8,
    },
  },
  {
    feed: 'car.telemetry',
    seconds: 257.8,
    content: {
      sampleUtc: '2026-06-07T14:02:17.393Z',
      drivers: [
        {
          ...driver('3', 1),
          rpm: 11200,
          speedKph: 298,
          gear: 8,
          throttlePercent: 100,
          brakePercent: 0,
          drs: 12,
          drsOpen: true,
        },
        {
          ...driver('27', 10),
          rpm: 0,
          speedKph: 0,
          gear: 0,
          throttlePercent: null,
          brakePercent: null,
          drs: 0,
          drsOpen: false,
        },
      ],
      lap: 3,
    },
  },
  {
    feed: 'car.telemetry',
    seconds: 258.8,
    content: {
      sampleUtc: '2026-06-07T14:02:18.393Z',
      drivers: [
        {
          ...driver('3', 1),
          rpm: 11200,
          speedKph: 121,
          gear: 3,
          throttlePercent: 0,
          brakePercent: 100,
          drs: 8,
          drsOpen: false,
        },
      ],
      lap: 3,
    },
  },
  {
    feed: 'car.telemetry',
    seconds: 260.2,
    content: {
      sampleUtc: '2026-06-07T14:02:19.793Z',
      drivers: [
        {
          ...driver('5', 6),
          rpm: 11200,
          speedKph: 96,
          gear: 2,
          throttlePercent: 100,
          brakePercent: 0,
          drs: 9,
          drsOpen: null,
        },
      ],
      lap: 3,
    },
  },
  {
    feed: 'car.position',
    seconds: 260.3,
    content: {
      sampleUtc: '2026-06-07T14:02:19.793Z',
      drivers: [{ ...driver('5', 6), status: 'off_track', x: 1311, y: -420, z: 70 }],
      lap: 3,
    },
  },
];
