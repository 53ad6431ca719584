// car.telemetry, from CarData.z: the channels of a car by name.

import { integerOf, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import type { CarTelemetryDriver } from '#schemas/webhook/car-telemetry.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import type { Normalise } from './normaliser.ts';
import { Sampling } from './samples.ts';

type Telemetry = Omit<CarTelemetryDriver, keyof Driver>;

/** What is known of the codes of the rear wing; of the others it is not known what they mean. */
const DRS_OPEN: Readonly<Record<number, boolean>> = { 0: false, 1: false, 8: false, 10: true, 12: true, 14: true };

/** Remembers what it told. */
export function carTelemetry(): Normalise {
  const sampling = new Sampling(telemetryOf);
  return (message, state) => {
    const samples = Object.values(objectOf(message.Entries));
    const { Utc, Cars } = objectOf(samples.at(-1));
    return sampling.tell({ utc: Utc, cars: objectOf(Cars) }, state);
  };
}

function telemetryOf(car: JsonObject): Telemetry {
  const channels = objectOf(car.Channels);
  const drs = integerOf(channels[45]);
  return {
    rpm: integerOf(channels[0]),
    speedKph: integerOf(channels[2]),
    gear: integerOf(channels[3]),
    throttlePercent: percentOf(channels[4]),
    brakePercent: percentOf(channels[5]),
    drs,
    drsOpen: drs === null ? null : (DRS_OPEN[drs] ?? null),
  };
}

/** A pedal; the upstream says 104 when it has no valid value. */
function percentOf(value: unknown): number | null {
  const percent = integerOf(value);
  return percent !== null && percent >= 0 && percent <= 100 ? percent : null;
}
