// tire.current: the tires that a car has on now.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const CurrentTireDriver = DriverEntry({
  compound: Type.Optional(
    Nullable(Type.String({ description: 'SOFT, MEDIUM, HARD, INTERMEDIATE, WET or UNKNOWN; in 2018 also others.' })),
  ),
  isNew: Type.Optional(Nullable(Type.Boolean({ description: 'Whether the tires were new when they were put on.' }))),
});

export type CurrentTireDriver = Type.Static<typeof CurrentTireDriver>;

export const CurrentTirePayload = Payload('tire.current', 'The tires that a car has on now.', {
  drivers: Type.Array(CurrentTireDriver),
});
