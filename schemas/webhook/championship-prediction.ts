// championship.prediction: the championship as the timing source calculates it, if the race ended in its current order.
// An entry carries what changed. An update in which only teams changed touches no driver, so driver filters do not
// match it.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

const STANDING_PROPERTIES = {
  currentPosition: Type.Optional(Nullable(Type.Integer({ description: 'Championship position before the race.' }))),
  predictedPosition: Type.Optional(
    Nullable(Type.Integer({ description: 'Championship position if the race ended now.' })),
  ),
  currentPoints: Type.Optional(Nullable(Type.Number({ description: 'Championship points before the race.' }))),
  predictedPoints: Type.Optional(Nullable(Type.Number({ description: 'Championship points if the race ended now.' }))),
};

export const PredictedDriver = DriverEntry(STANDING_PROPERTIES);

export const PredictedTeam = Type.Object(
  {
    entrant: Type.String({ description: 'The team\'s entry name: "McLaren Mercedes".' }),
    team: Nullable(Type.String({ description: 'Team name: "McLaren".' })),
    constructorId: Nullable(Type.String({ description: 'Slug of the team name: "mclaren".' })),
    ...STANDING_PROPERTIES,
  },
  { additionalProperties: false },
);

export type PredictedDriver = Type.Static<typeof PredictedDriver>;
export type PredictedTeam = Type.Static<typeof PredictedTeam>;
export type PredictedStanding = Pick<
  PredictedDriver,
  'currentPosition' | 'predictedPosition' | 'currentPoints' | 'predictedPoints'
>;

export const ChampionshipPredictionPayload = Payload(
  'championship.prediction',
  'The championship if the race ended in its current order.',
  { drivers: Type.Array(PredictedDriver), teams: Type.Array(PredictedTeam) },
);
