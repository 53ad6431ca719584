// events.race: what happened, told from the timing data. `drivers` names those concerned, the one who acts first.

import Type from 'typebox';
import { Driver } from './driver.ts';
import { Payload } from './envelope.ts';
import { LapTime } from './lap-time.ts';
import { RACE_EVENT_TYPES } from './race-event-types.ts';

export const RaceEventData = Type.Object(
  {
    overtakenNumber: Type.Optional(Type.String({ description: 'overtake: racing number of the driver passed.' })),
    previousLeaderNumber: Type.Optional(
      Type.String({ description: 'lead_change: racing number of the leader before.' }),
    ),
    position: Type.Optional(Type.Integer({ description: 'overtake: position won.' })),
    stop: Type.Optional(
      Type.Integer({
        description:
          'pit_entry, pit_exit: visits to the pits so far, this one included; absent for the first exit from the garage.',
      }),
    ),
    pitLaneMs: Type.Optional(
      Type.Integer({ description: 'pit_exit: milliseconds between the messages that said pit entry and pit exit.' }),
    ),
    time: Type.Optional(LapTime),
    lap: Type.Optional(Type.Integer({ description: 'fastest_lap: lap of the driver.' })),
    part: Type.Optional(Type.Integer({ description: 'fastest_lap in qualifying: part, from 1.' })),
    lapsCompleted: Type.Optional(Type.Integer({ description: 'retirement: laps completed.' })),
    announced: Type.Optional(
      Type.Boolean({
        description: 'retirement: whether the timing said so; otherwise the car stopped and drove no more.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Details by type of event; empty for those without.' },
);

export type RaceEventData = Type.Static<typeof RaceEventData>;

export const RaceEventPayload = Payload('events.race', 'What happened.', {
  event: Type.Unsafe<(typeof RACE_EVENT_TYPES)[number]>({ type: 'string', enum: [...RACE_EVENT_TYPES] }),
  data: RaceEventData,
  drivers: Type.Array(Driver),
});
