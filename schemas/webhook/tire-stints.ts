// tire.stints: which tires a car runs on, and for how long.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

const Stint = Type.Object(
  {
    stint: Type.Integer({ description: 'From 1.' }),
    compound: Type.Optional(
      Nullable(Type.String({ description: 'SOFT, MEDIUM, HARD, INTERMEDIATE, WET or UNKNOWN; in 2018 also others.' })),
    ),
    isNew: Type.Optional(
      Nullable(Type.Boolean({ description: 'Whether the tires were new at the start of the stint.' })),
    ),
    tiresChanged: Type.Optional(Nullable(Type.Boolean({ description: 'False when the stop left the tires on.' }))),
    totalLaps: Type.Optional(Nullable(Type.Integer({ description: 'Age of the tires, laps.' }))),
    startLaps: Type.Optional(
      Nullable(Type.Integer({ description: 'Age of the tires at the start of the stint, laps.' })),
    ),
  },
  { additionalProperties: false },
);

export const TireDriver = DriverEntry({ stints: Type.Array(Stint, { description: 'What changed, by stint.' }) });

export type TireStint = Type.Static<typeof Stint>;
export type TireDriver = Type.Static<typeof TireDriver>;

export const TireStintsPayload = Payload('tire.stints', 'Which tires a car runs on, and for how long.', {
  drivers: Type.Array(TireDriver),
});
