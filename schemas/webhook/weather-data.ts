// weather.data: readings of the weather station at the track, about once a minute. Sent in full whenever a value
// changes.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const WeatherData = Type.Object(
  {
    airTempC: Nullable(Type.Number({ description: 'Air temperature, degrees Celsius.' })),
    trackTempC: Nullable(Type.Number({ description: 'Track temperature, degrees Celsius.' })),
    humidityPercent: Nullable(Type.Number({ description: 'Relative humidity, percent.' })),
    pressureHpa: Nullable(Type.Number({ description: 'Air pressure, hectopascals.' })),
    rainfall: Nullable(Type.Boolean({ description: 'Whether it is raining.' })),
    windDirectionDegrees: Nullable(
      Type.Number({ description: 'Direction the wind blows from, in degrees from north.' }),
    ),
    windSpeedMps: Nullable(Type.Number({ description: 'Wind speed, in metres per second.' })),
  },
  { additionalProperties: false },
);

export type WeatherData = Type.Static<typeof WeatherData>;

export const WeatherDataPayload = Payload('weather.data', 'The weather at the track.', { data: WeatherData });
