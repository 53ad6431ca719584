// track.status: the flag or safety car that applies to the whole track.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const TrackStatusData = Type.Object(
  {
    status: Type.String({
      description:
        'clear, yellow, safety_car, red, virtual_safety_car, virtual_safety_car_ending; unknown for any other code.',
    }),
    code: Nullable(
      Type.Integer({ description: "The timing source's code: 1, 2, 4, 5, 6, 7, in the order of `status`." }),
    ),
  },
  { additionalProperties: false },
);

export type TrackStatusData = Type.Static<typeof TrackStatusData>;

export const TrackStatusPayload = Payload('track.status', 'The flag or safety car that applies to the whole track.', {
  data: TrackStatusData,
});
