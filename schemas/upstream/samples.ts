// CarData.z, Position.z: samples of all cars, after inflation. They are not part of the session state.

import Type from 'typebox';

const CLOSED = { additionalProperties: false };
const RACING_NUMBER = Type.String({ pattern: '^\\d{1,3}$' });

export const CarDataMessage = Type.Object(
  {
    Entries: Type.Array(
      Type.Object(
        {
          Utc: Type.String(),
          Cars: Type.Record(
            RACING_NUMBER,
            Type.Object(
              {
                Channels: Type.Object(
                  {
                    0: Type.Integer({ description: 'Engine speed, revolutions per minute.' }),
                    2: Type.Integer({ description: 'Kilometres per hour.' }),
                    3: Type.Integer({ description: 'Gear.' }),
                    4: Type.Integer({ description: 'Throttle, percent; 104 is invalid.' }),
                    5: Type.Integer({ description: 'Brake, 0 or 100; 104 is invalid.' }),
                    45: Type.Integer({ description: 'DRS, a code.' }),
                  },
                  CLOSED,
                ),
              },
              CLOSED,
            ),
          ),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);

export const PositionMessage = Type.Object(
  {
    Position: Type.Array(
      Type.Object(
        {
          Timestamp: Type.String(),
          Entries: Type.Record(
            RACING_NUMBER,
            Type.Object(
              {
                Status: Type.String({ description: 'OnTrack, OffTrack.' }),
                X: Type.Integer({ description: 'Tenths of a metre.' }),
                Y: Type.Integer(),
                Z: Type.Integer(),
              },
              CLOSED,
            ),
          ),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);
