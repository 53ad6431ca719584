// events.race: what happened, derived from the timing data. `drivers` lists the drivers concerned; the one who acts
// comes first.

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
        description: 'lead_change, championship_change of drivers: racing number of the previous leader.',
      }),
    ),
    position: Type.Optional(
      Type.Integer({
        description:
          'overtake: position won. position_gained, position_lost: new position. knocked_out: position in the part ' +
          'of qualifying that knocked the driver out. battle_start, battle_end: position of the car ahead.',
      }),
    ),
    places: Type.Optional(
      Type.Integer({ description: 'position_gained, position_lost: net number of places. penalty: grid places.' }),
    ),
    cause: Type.Optional(
      choice(
        ['pit_stop', 'penalty', 'retirement', 'start', 'other', 'gap', 'order', 'pits', 'stopped', 'neutralised'],
        'position_gained, position_lost: pit_stop, penalty (a drive-through), retirement, start (on the first lap ' +
          'after a start from the grid) or other. battle_end: gap (it grew), order (another car came between), pits, ' +
          'stopped (or retired) or neutralised (safety car, red flag, end of the session).',
      ),
    ),
    stop: Type.Optional(
      Type.Integer({
        description:
          'pit_entry, pit_exit, pit_stop, fastest_pit_stop: visits to the pits so far, including this one; absent ' +
          'for the first exit from the garage.',
      }),
    ),
    pitLaneMs: Type.Optional(
      Type.Integer({
        description:
          'pit_exit: milliseconds between the messages of pit entry and pit exit. pit_stop, fastest_pit_stop: ' +
          'milliseconds in the pit lane.',
      }),
    ),
    stationaryMs: Type.Optional(
      Type.Integer({ description: 'pit_stop, fastest_pit_stop: milliseconds that the car stood still, if known.' }),
    ),
    source: Type.Optional(
      choice(
        ['pit_stop_series', 'pit_lane_times', 'timing'],
        'pit_stop: source of the times. pit_stop_series: the topic PitStopSeries. pit_lane_times: the topic ' +
          'PitLaneTimeCollection. timing: the messages of pit entry and pit exit.',
      ),
    ),
    measure: Type.Optional(
      choice(['stationary', 'pit_lane'], 'fastest_pit_stop: which time is the fastest of the race so far.'),
    ),
    apartMs: Type.Optional(
      Type.Integer({ description: 'double_stack: milliseconds between the two cars at pit entry.' }),
    ),
    stint: Type.Optional(Type.Integer({ description: 'tire_change: the stint that starts, from 1.' })),
    compound: Type.Optional(Type.String({ description: 'tire_change: new compound: "SOFT".' })),
    previousCompound: Type.Optional(Type.String({ description: 'tire_change: previous compound, if known.' })),
    newTires: Type.Optional(Type.Boolean({ description: 'tire_change: whether the tires are new, if known.' })),
    tireAgeLaps: Type.Optional(Type.Integer({ description: 'tire_change: laps already on the tires.' })),
    time: Type.Optional(LapTime),
    lap: Type.Optional(Type.Integer({ description: "fastest_lap, personal_best, lap_deleted: the driver's lap." })),
    part: Type.Optional(
      Type.Integer({
        description:
          'segment_start, segment_end; in qualifying also fastest_lap, personal_best, knocked_out: the part, from 1.',
      }),
    ),
    lapsCompleted: Type.Optional(
      Type.Integer({
        description: 'retirement, stopped: laps completed by the driver. milestone: laps completed by the leader.',
      }),
    ),
    totalLaps: Type.Optional(Type.Integer({ description: 'milestone: number of laps in the race.' })),
    percent: Type.Optional(Type.Integer({ description: 'milestone: 25, 50, 75 or 90.' })),
    announced: Type.Optional(
      Type.Boolean({
        description: 'retirement: true if the timing announced it; false if the car stopped and did not continue.',
      }),
    ),
    gapMs: Type.Optional(
      Type.Integer({ description: 'battle_start, battle_end: latest gap between the two cars, in milliseconds.' }),
    ),
    durationMs: Type.Optional(
      Type.Integer({ description: 'battle_end: milliseconds since the gap became small enough for a battle.' }),
    ),
    stage: Type.Optional(
      choice(
        ['noted', 'under_investigation', 'after_session', 'no_further_action'],
        'investigation: the incident is noted, under investigation, to be investigated after the session, or closed ' +
          'without a penalty.',
      ),
    ),
    penalty: Type.Optional(
      choice(['time', 'drive_through', 'stop_and_go', 'grid', 'other'], 'penalty, penalty_served: kind of penalty.'),
    ),
    seconds: Type.Optional(Type.Integer({ description: 'penalty, penalty_served: seconds, if the penalty has any.' })),
    reason: Type.Optional(
      Type.String({
        description: 'investigation, penalty, penalty_served, lap_deleted: the reason, in the words of race control.',
      }),
    ),
    turn: Type.Optional(Type.Integer({ description: 'investigation, lap_deleted: turn, if race control names it.' })),
    message: Type.Optional(
      Type.String({
        description:
          'investigation, penalty, penalty_served, lap_deleted, blue_flag, black_and_white_flag: the message from ' +
          'race control.',
      }),
    ),
    radioPath: Type.Optional(
      Type.String({
        description: "team_radio: path of the recording, relative to the session's folder at the timing source.",
      }),
    ),
    championship: Type.Optional(choice(['drivers', 'teams'], 'championship_change: which championship.')),
    team: Type.Optional(Type.String({ description: 'championship_change of teams: the team that would now lead.' })),
    previousTeam: Type.Optional(
      Type.String({ description: 'championship_change of teams: the team that would have led before.' }),
    ),
    points: Type.Optional(Type.Number({ description: 'championship_change: predicted points of the new leader.' })),
  },
  { additionalProperties: false, description: 'Details, depending on the type of event. Empty if the type has none.' },
);

export type RaceEventData = Type.Static<typeof RaceEventData>;

export const RaceEventPayload = Payload('events.race', 'What happened.', {
  event: choice(RACE_EVENT_TYPES, 'The type of event.'),
  data: RaceEventData,
  drivers: Type.Array(Driver),
});
