// car.position, from Position.z: where the cars are on the circuit.

import { integerOf, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import type { CarPositionDriver } from '#schemas/webhook/car-position.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import type { Normalise } from './normaliser.ts';
import { Sampling } from './samples.ts';

type CarPosition = Omit<CarPositionDriver, keyof Driver>;

const STATUSES: ReadonlyMap<unknown, string> = new Map([
  ['OnTrack', 'on_track'],
  ['OffTrack', 'off_track'],
]);

/** Creates the normaliser for one session. It keeps what it last emitted. */
export function carPosition(): Normalise {
  const sampling = new Sampling(positionOf);
  return (message, state) => {
    const samples = Object.values(objectOf(message.Position));
    const { Timestamp, Entries } = objectOf(samples.at(-1));
    return sampling.emit({ utc: Timestamp, cars: objectOf(Entries) }, state);
  };
}

function positionOf({ Status, X, Y, Z }: JsonObject): CarPosition {
  return { status: STATUSES.get(Status) ?? null, x: integerOf(X), y: integerOf(Y), z: integerOf(Z) };
}
