// tire.stints: which tires a car used, and for how long.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

const Stint = Type.Object(
  {
    stint: Type.Integer({ description: 'From 1.' }),
    compound: Type.Optional(
      Nullable(
        Type.String({ description: 'SOFT, MEDIUM, HARD, INTERMEDIATE, WET or UNKNOWN; other names occur in 2018.' }),
      ),
    ),
    isNew: Type.Optional(
      Nullable(Type.Boolean({ description: 'Whether the tires were new at the start of the stint.' })),
    ),
    tiresChanged: Type.Optional(Nullable(Type.Boolean({ description: 'False if the stop left the tires on.' }))),
    totalLaps: Type.Optional(Nullable(Type.Integer({ description: 'Age of the tires in laps.' }))),
    startLaps: Type.Optional(
      Nullable(Type.Integer({ description: 'Age of the tires at the start of the stint, in laps.' })),
    ),
  },
  { additionalProperties: false },
);

export const TireDriver = DriverEntry({ stints: Type.Array(Stint, { description: 'Changes, by stint.' }) });

export type TireStint = Type.Static<typeof Stint>;
export type TireDriver = Type.Static<typeof TireDriver>;

export const TireStintsPayload = Payload('tire.stints', 'Which tires a car used, and for how long.', {
  drivers: Type.Array(TireDriver),
});
