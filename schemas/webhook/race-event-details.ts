// The details of each type of race event: its `data` in the feed `events.race`.

import Type from 'typebox';
import { DRIVER_PROPERTIES } from './driver.ts';
import { LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';
import type { RaceEventType } from './race-event-types.ts';

function choice<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], description });
}

function details<Fields extends Type.TProperties>(description: string, fields: Fields) {
  return { ...Type.Object(fields, { additionalProperties: false }), description };
}

const number = (description: string) => Type.String({ description: `Racing number of ${description}.` });
const count = (description: string) => Type.Integer({ description });
const MESSAGE = Type.String({ description: 'The message from race control.' });
const REASON = Type.Optional(Type.String({ description: 'The reason, in the words of race control.' }));
const TURN = Type.Optional(count('Turn, if race control names it.'));

const lap = {
  time: LapTime,
  lap: Type.Optional(count("The driver's lap.")),
  part: Type.Optional(count('In qualifying: the part, from 1.')),
};

const place = {
  position: count('New position.'),
  places: count('Net number of places.'),
  cause: choice(
    ['pit_stop', 'penalty', 'retirement', 'start', 'other'],
    'pit_stop, penalty (a drive-through), retirement, start (on the first lap after a start from the grid) or other.',
  ),
};

const stopTimes = {
  stop: count('Visits to the pits so far, including this one.'),
  pitLaneMs: count('Milliseconds in the pit lane.'),
  stationaryMs: Type.Optional(count('Milliseconds that the car stood still, if known.')),
};

const penalty = {
  places: Type.Optional(count('Grid places, if the penalty has any.')),
  penalty: choice(['time', 'drive_through', 'stop_and_go', 'grid', 'other'], 'Kind of penalty.'),
  seconds: Type.Optional(count('Seconds, if the penalty has any.')),
  reason: REASON,
  message: MESSAGE,
};

const battle = {
  position: count('Position of the car ahead.'),
  gapMs: count('Latest gap between the two cars, in milliseconds.'),
};

const SESSION_TYPES = ['Practice', 'Qualifying', 'Sprint Qualifying', 'Sprint', 'Race'] as const;

const sessionType = Type.Unsafe<(typeof SESSION_TYPES)[number] | null>({
  type: ['string', 'null'],
  enum: [...SESSION_TYPES, null],
  description: 'Kind of session; null if the timing does not say.',
});

const { position: _, ...IDENTITY } = DRIVER_PROPERTIES;

const placed = (description: string) =>
  Type.Object(
    {
      ...IDENTITY,
      positionBefore: count('Position before the pass.'),
      positionAfter: count('Position after the pass.'),
    },
    { additionalProperties: false, description },
  );

export type PlacedDriver = Type.Static<ReturnType<typeof placed>>;

const RetirementCause = Type.Object(
  {
    kind: choice(
      ['collision', 'incident', 'stopped'],
      'collision or incident: race control reports one that involved the car. stopped: it only says that the car ' +
        'stopped.',
    ),
    turn: Nullable(count('Turn; null if race control does not name it.')),
    otherNumbers: Type.Array(Type.String(), { description: 'Racing numbers of the other cars involved.' }),
    message: MESSAGE,
  },
  {
    additionalProperties: false,
    description: 'Why, if race control has said so by now; otherwise null. What it says later is an investigation.',
  },
);

export type RetirementCause = Type.Static<typeof RetirementCause>;

export const RACE_EVENT_DETAILS = {
  session_start: details('The session has started.', { sessionType }),
  session_end: details('The session is over.', {
    sessionType,
    winner: Nullable(
      Type.Object(DRIVER_PROPERTIES, {
        additionalProperties: false,
        description:
          'The driver in first place: the winner of a race, or the fastest of a qualifying or practice session. Null ' +
          'if unknown. By the timing: later penalties are missing.',
      }),
    ),
  }),
  overtake: details('A driver has passed another on the track, and the new order has held for ten seconds.', {
    overtakenNumber: number('the driver passed'),
    position: count("The overtaking driver's position now, when the order has held."),
    overtaking: placed('The driver who passed, with his position before and after the pass.'),
    overtaken: placed('The driver who was passed, with his position before and after the pass.'),
  }),
  lead_change: details('Another driver leads the race, and has for ten seconds.', {
    previousLeaderNumber: number('the previous leader'),
  }),
  pit_entry: details('A driver has entered the pits.', {
    stop: count('Visits to the pits so far, including this one.'),
  }),
  pit_exit: details('A driver has left the pits.', {
    stop: Type.Optional(
      count('Visits to the pits so far, including this one; absent for the first exit from the garage.'),
    ),
    pitLaneMs: Type.Optional(count('Milliseconds between the messages of pit entry and pit exit.')),
  }),
  fastest_lap: details('A lap is the fastest so far of all drivers.', lap),
  retirement: details('A driver has retired.', {
    lapsCompleted: count('Laps completed by the driver.'),
    announced: Type.Boolean({
      description: 'True if the timing announced it; false if the car stopped and did not continue.',
    }),
    cause: Nullable(RetirementCause),
  }),
  safety_car_deployed: details('The safety car is on the track.', {}),
  safety_car_ending: details('The safety car comes in at the end of this lap.', {}),
  virtual_safety_car_deployed: details('The virtual safety car is deployed.', {}),
  virtual_safety_car_ending: details('The virtual safety car is about to end.', {}),
  red_flag: details('The session is interrupted by a red flag.', {}),
  yellow_flag: details('A yellow flag is shown.', {}),
  track_clear: details('The track is clear again.', {}),
  chequered_flag: details('Race control shows the chequered flag; in qualifying at the end of each part.', {}),
  session_resumed: details('The session continues after an interruption.', {}),
  session_aborted: details('The session is interrupted.', {}),
  segment_start: details('A part of qualifying has started.', { part: count('The part, from 1.') }),
  segment_end: details('A part of qualifying is over.', { part: count('The part, from 1.') }),
  knocked_out: details('A driver is out after a part of qualifying.', {
    position: count('Position in the part of qualifying that knocked the driver out.'),
    part: Type.Optional(count('That part, from 1.')),
  }),
  position_gained: details('A driver has gained places other than by overtaking.', place),
  position_lost: details('A driver has lost places other than by being overtaken.', place),
  pit_stop: details('A driver has made a pit stop.', {
    ...stopTimes,
    source: choice(
      ['pit_stop_series', 'pit_lane_times', 'timing'],
      'Source of the times. pit_stop_series: the topic PitStopSeries. pit_lane_times: the topic ' +
        'PitLaneTimeCollection. timing: the messages of pit entry and pit exit.',
    ),
  }),
  fastest_pit_stop: details('A pit stop is the fastest of the race so far.', {
    ...stopTimes,
    measure: choice(['stationary', 'pit_lane'], 'Which time is the fastest.'),
  }),
  double_stack: details('Both cars of a team were in the pits at once.', {
    apartMs: count('Milliseconds between the two cars at pit entry.'),
  }),
  tire_change: details('A car has other tires.', {
    stint: count('The stint that starts, from 1.'),
    compound: Type.String({ description: 'New compound: "SOFT".' }),
    previousCompound: Type.Optional(Type.String({ description: 'Previous compound, if known.' })),
    newTires: Type.Optional(Type.Boolean({ description: 'Whether the tires are new, if known.' })),
    tireAgeLaps: Type.Optional(count('Laps already on the tires.')),
  }),
  personal_best: details("A lap is the driver's fastest so far.", lap),
  stopped: details('A car has stopped on the track.', { lapsCompleted: count('Laps completed by the driver.') }),
  investigation: details('Race control reports on an incident.', {
    stage: choice(
      ['noted', 'under_investigation', 'after_session', 'no_further_action'],
      'The incident is noted, under investigation, to be investigated after the session, or closed without a penalty.',
    ),
    reason: REASON,
    turn: TURN,
    message: MESSAGE,
  }),
  penalty: details('A driver has a penalty.', penalty),
  penalty_served: details('A driver has served a penalty.', penalty),
  lap_deleted: details("A driver's lap is deleted.", {
    time: Type.Optional(LapTime),
    lap: Type.Optional(count("The driver's lap.")),
    reason: Type.String({ description: 'The reason, in the words of race control.' }),
    turn: TURN,
    message: MESSAGE,
  }),
  blue_flag: details('A driver is shown the blue flag.', { message: MESSAGE }),
  black_and_white_flag: details('A driver is shown the black and white flag.', { message: MESSAGE }),
  drs_enabled: details('DRS may be used.', {}),
  drs_disabled: details('DRS may not be used.', {}),
  rain_start: details('The weather station reports rain.', {}),
  rain_stop: details('The weather station has reported no rain for three minutes.', {}),
  battle_start: details('Two cars have been within one second of each other for half a minute.', battle),
  battle_end: details('Two cars battle no longer.', {
    position: battle.position,
    cause: choice(
      ['gap', 'order', 'pits', 'stopped', 'neutralised'],
      'gap (it grew), order (another car came between), pits, stopped (or retired) or neutralised (safety car, red ' +
        'flag, end of the session).',
    ),
    gapMs: battle.gapMs,
    durationMs: count('Milliseconds since the gap became small enough for a battle.'),
  }),
  milestone: details('The leader has completed a share of the race.', {
    lapsCompleted: count('Laps completed by the leader.'),
    totalLaps: count('Number of laps in the race.'),
    percent: count('25, 50, 75 or 90.'),
  }),
  team_radio: details('A message between a driver and his team is published.', {
    radioPath: Type.String({
      description: "Path of the recording, relative to the session's folder at the timing source.",
    }),
  }),
  championship_change: details('As the race stands, another driver or team would now lead the championship.', {
    previousLeaderNumber: Type.Optional(number('the driver who would have led before')),
    championship: choice(['drivers', 'teams'], 'Which championship.'),
    team: Type.Optional(Type.String({ description: 'Of teams: the team that would now lead.' })),
    previousTeam: Type.Optional(Type.String({ description: 'Of teams: the team that would have led before.' })),
    constructorId: Type.Optional(Type.String({ description: 'Of teams: slug of `team`.' })),
    previousConstructorId: Type.Optional(Type.String({ description: 'Of teams: slug of `previousTeam`.' })),
    points: Type.Optional(Type.Number({ description: 'Predicted points of the new leader.' })),
  }),
} as const satisfies Readonly<Record<RaceEventType, Type.TSchema>>;
