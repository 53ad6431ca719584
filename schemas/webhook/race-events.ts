// events.race: what happened, told from the timing data. `drivers` names those concerned, the one who acts first.

import Type from 'typebox';
import { Driver } from './driver.ts';
import { Payload } from './envelope.ts';
import { LapTime } from './lap-time.ts';
import { RACE_EVENT_TYPES } from './race-event-types.ts';

function choice<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], description });
}

export const RaceEventData = Type.Object(
  {
    overtakenNumber: Type.Optional(Type.String({ description: 'overtake: racing number of the driver passed.' })),
    previousLeaderNumber: Type.Optional(
      Type.String({
        description: 'lead_change, championship_change of drivers: racing number of the leader before.',
      }),
    ),
    position: Type.Optional(
      Type.Integer({
        description:
          'overtake: position won. position_gained, position_lost: position now. knocked_out: position in the part ' +
          'that was his last. battle_start, battle_end: position of the car ahead.',
      }),
    ),
    places: Type.Optional(
      Type.Integer({ description: 'position_gained, position_lost: places, net. penalty: places on the grid.' }),
    ),
    cause: Type.Optional(
      choice(
        ['pit_stop', 'penalty', 'retirement', 'start', 'other', 'gap', 'order', 'pits', 'stopped', 'neutralised'],
        'position_gained, position_lost: pit_stop, penalty (a drive-through), retirement, start (the lap of a start from ' +
          'the grid) or other. battle_end: gap (it has grown), order (others came between), pits, stopped (or retired) or ' +
          'neutralised (safety car, red flag, end of the session).',
      ),
    ),
    stop: Type.Optional(
      Type.Integer({
        description:
          'pit_entry, pit_exit, pit_stop, fastest_pit_stop: visits to the pits so far, this one included; absent for ' +
          'the first exit from the garage.',
      }),
    ),
    pitLaneMs: Type.Optional(
      Type.Integer({
        description:
          'pit_exit: milliseconds between the messages that said pit entry and pit exit. pit_stop, fastest_pit_stop: ' +
          'milliseconds in the pit lane.',
      }),
    ),
    stationaryMs: Type.Optional(
      Type.Integer({ description: 'pit_stop, fastest_pit_stop: milliseconds for which the car stood; where known.' }),
    ),
    source: Type.Optional(
      choice(
        ['pit_stop_series', 'pit_lane_times', 'timing'],
        'pit_stop: what tells the times: the topic PitStopSeries or PitLaneTimeCollection, or the messages of pit entry ' +
          'and pit exit.',
      ),
    ),
    measure: Type.Optional(
      choice(['stationary', 'pit_lane'], 'fastest_pit_stop: the time by which it is the fastest of the race so far.'),
    ),
    apartMs: Type.Optional(
      Type.Integer({ description: 'double_stack: milliseconds between the two cars at the pit entry.' }),
    ),
    stint: Type.Optional(Type.Integer({ description: 'tire_change: stint that begins, from 1.' })),
    compound: Type.Optional(Type.String({ description: 'tire_change: compound now: "SOFT".' })),
    previousCompound: Type.Optional(Type.String({ description: 'tire_change: compound before; where known.' })),
    newTires: Type.Optional(Type.Boolean({ description: 'tire_change: whether the tires are new; where known.' })),
    tireAgeLaps: Type.Optional(Type.Integer({ description: 'tire_change: laps that the tires have done before.' })),
    time: Type.Optional(LapTime),
    lap: Type.Optional(Type.Integer({ description: 'fastest_lap, personal_best, lap_deleted: lap of the driver.' })),
    part: Type.Optional(
      Type.Integer({
        description:
          'segment_start, segment_end; fastest_lap, personal_best and knocked_out in qualifying: part, from 1.',
      }),
    ),
    lapsCompleted: Type.Optional(
      Type.Integer({
        description: 'retirement, stopped: laps that the driver completed. milestone: those of the leader.',
      }),
    ),
    totalLaps: Type.Optional(Type.Integer({ description: 'milestone: laps of the race.' })),
    percent: Type.Optional(Type.Integer({ description: 'milestone: 25, 50, 75 or 90.' })),
    announced: Type.Optional(
      Type.Boolean({
        description: 'retirement: whether the timing said so; otherwise the car stopped and drove no more.',
      }),
    ),
    gapMs: Type.Optional(
      Type.Integer({ description: 'battle_start, battle_end: latest gap between the two cars, milliseconds.' }),
    ),
    durationMs: Type.Optional(
      Type.Integer({ description: 'battle_end: milliseconds since the gap came down to that of a battle.' }),
    ),
    stage: Type.Optional(
      choice(
        ['noted', 'under_investigation', 'after_session', 'no_further_action'],
        'investigation: the incident is noted, under investigation, to be investigated after the session, or settled ' +
          'without a penalty.',
      ),
    ),
    penalty: Type.Optional(
      choice(['time', 'drive_through', 'stop_and_go', 'grid', 'other'], 'penalty, penalty_served: its kind.'),
    ),
    seconds: Type.Optional(Type.Integer({ description: 'penalty, penalty_served: seconds, where it has any.' })),
    reason: Type.Optional(
      Type.String({
        description: 'investigation, penalty, penalty_served, lap_deleted: what for, in the words of race control.',
      }),
    ),
    turn: Type.Optional(Type.Integer({ description: 'investigation, lap_deleted: turn, where race control says it.' })),
    message: Type.Optional(
      Type.String({
        description:
          'investigation, penalty, penalty_served, lap_deleted, blue_flag, black_and_white_flag: what race control wrote.',
      }),
    ),
    radioPath: Type.Optional(
      Type.String({
        description: "team_radio: path of the recording below the session's folder at the timing source.",
      }),
    ),
    championship: Type.Optional(choice(['drivers', 'teams'], 'championship_change: which of the two.')),
    team: Type.Optional(Type.String({ description: 'championship_change of teams: team that would lead.' })),
    previousTeam: Type.Optional(
      Type.String({ description: 'championship_change of teams: team that would have led before.' }),
    ),
    points: Type.Optional(Type.Number({ description: 'championship_change: points of the new leader as it stands.' })),
  },
  { additionalProperties: false, description: 'Details by type of event; empty for those without.' },
);

export type RaceEventData = Type.Static<typeof RaceEventData>;

export const RaceEventPayload = Payload('events.race', 'What happened.', {
  event: choice(RACE_EVENT_TYPES, 'The type of event.'),
  data: RaceEventData,
  drivers: Type.Array(Driver),
});
