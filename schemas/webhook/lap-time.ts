// Times and gaps, both as the timing screen shows them and as numbers.

import Type from 'typebox';
import { Nullable } from './nullable.ts';

export const LapTime = Type.Object(
  {
    display: Type.String({ description: 'As on the timing screen: "1:45.149", or "26.111" for a sector.' }),
    ms: Nullable(Type.Integer({ description: 'Milliseconds; null if `display` is not a time.' })),
  },
  { additionalProperties: false, description: 'A lap or sector time.' },
);

export type LapTime = Type.Static<typeof LapTime>;

export const Gap = Type.Object(
  {
    display: Type.String({ description: 'As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader.' }),
    seconds: Nullable(
      Type.Number({ description: 'Seconds; 0 for the leader; null if `display` counts laps or is not a gap.' }),
    ),
    lapsBehind: Type.Optional(
      Type.Integer({ description: 'Whole laps behind; present only if the gap is counted in laps.' }),
    ),
    leaderLap: Type.Optional(Type.Integer({ description: "The leader's current lap; present only for the leader." })),
  },
  { additionalProperties: false, description: 'A gap to the leader or to the car ahead.' },
);

export type Gap = Type.Static<typeof Gap>;
