// Karting: payloads derived from the messages of an organiser's timing system.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Gap, LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

export const KartingHeatPayload = Payload('karting.heat', 'Status and lap of the heat.', {
  data: Type.Object(
    {
      name: Nullable(Type.String({ description: 'Name of the heat.' })),
      status: Nullable(Type.String({ description: 'waiting, running, stopped or finished.' })),
      currentLap: Nullable(Type.Integer({ description: "The leader's current lap, from 1." })),
      totalLaps: Nullable(Type.Integer({ description: 'Number of laps in the heat.' })),
    },
    { additionalProperties: false },
  ),
});

export const KartingEntriesPayload = Payload('karting.entries', 'The drivers in the heat.', {
  drivers: Type.Array(
    DriverEntry({ chassis: Type.Optional(Nullable(Type.String({ description: 'Make of the kart.' }))) }),
  ),
});

export const KartingLapsPayload = Payload('karting.laps', 'Laps and gaps of the karts.', {
  drivers: Type.Array(
    DriverEntry({
      lapsCompleted: Type.Optional(Nullable(Type.Integer({ description: 'Laps completed.' }))),
      lastLap: Type.Optional(Nullable(LapTime)),
      bestLap: Type.Optional(Nullable(LapTime)),
      gapToLeader: Type.Optional(Nullable(Gap)),
    }),
  ),
});
