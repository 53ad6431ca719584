// Karting: the messages that an organiser's timing sends, and the payloads that are made of them.

import Type from 'typebox';
import { ByRacingNumber, Part } from '#schemas/upstream/collection.ts';
import { DriverEntry } from '#schemas/webhook/driver.ts';
import { Payload } from '#schemas/webhook/envelope.ts';
import { Gap, LapTime } from '#schemas/webhook/lap-time.ts';
import { Nullable } from '#schemas/webhook/nullable.ts';

export const KARTING_MESSAGES: Readonly<Record<string, Type.TSchema>> = {
  Meeting: Part({
    name: Type.String(),
    venue: Type.String(),
    start: Type.String({ description: 'ISO 8601 with Z or an offset.' }),
  }),
  Heat: Part({
    name: Type.String(),
    status: Type.String({ description: 'waiting, running, stopped, finished.' }),
    lap: Type.Integer({ description: 'Lap that the leader is on.' }),
    laps: Type.Integer({ description: 'Laps of the heat.' }),
  }),
  Karts: ByRacingNumber(
    Part({ name: Type.String(), code: Type.String(), team: Type.String(), chassis: Type.String() }),
  ),
  Laps: ByRacingNumber(
    Part({
      position: Type.Integer(),
      laps: Type.Integer(),
      last: Type.String({ description: '"48.213".' }),
      best: Type.String(),
      gap: Type.String({ description: '"+1.234", "1L".' }),
    }),
  ),
};

export const KartingHeatPayload = Payload('karting.heat', 'How far the heat is.', {
  data: Type.Object(
    {
      name: Nullable(Type.String({ description: 'Name of the heat.' })),
      status: Nullable(Type.String({ description: 'waiting, running, stopped or finished.' })),
      currentLap: Nullable(Type.Integer({ description: 'Lap that the leader is on, from 1.' })),
      totalLaps: Nullable(Type.Integer({ description: 'Laps of the heat.' })),
    },
    { additionalProperties: false },
  ),
});

export const KartingEntriesPayload = Payload('karting.entries', 'Who takes part.', {
  drivers: Type.Array(
    DriverEntry({ chassis: Type.Optional(Nullable(Type.String({ description: 'Make of the kart.' }))) }),
  ),
});

export const KartingLapsPayload = Payload('karting.laps', 'Laps and gaps of the karts.', {
  drivers: Type.Array(
    DriverEntry({
      lapsCompleted: Type.Optional(Nullable(Type.Integer({ description: 'Laps that the kart has completed.' }))),
      lastLap: Type.Optional(Nullable(LapTime)),
      bestLap: Type.Optional(Nullable(LapTime)),
      gapToLeader: Type.Optional(Nullable(Gap)),
    }),
  ),
});
