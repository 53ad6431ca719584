// tire.current: the tires currently on a car.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const CurrentTireDriver = DriverEntry({
  compound: Type.Optional(
    Nullable(
      Type.String({ description: 'SOFT, MEDIUM, HARD, INTERMEDIATE, WET or UNKNOWN; other names occur in 2018.' }),
    ),
  ),
  isNew: Type.Optional(Nullable(Type.Boolean({ description: 'Whether the tires were new when fitted.' }))),
});

export type CurrentTireDriver = Type.Static<typeof CurrentTireDriver>;

export const CurrentTirePayload = Payload('tire.current', 'The tires currently on a car.', {
  drivers: Type.Array(CurrentTireDriver),
});
