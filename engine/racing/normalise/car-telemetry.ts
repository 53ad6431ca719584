// car.telemetry, from CarData.z: the channels of a car by name.

import { integerOf, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import type { CarTelemetryDriver } from '#schemas/webhook/car-telemetry.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import type { Normalise } from './normaliser.ts';
import { Sampling } from './samples.ts';

type Telemetry = Omit<CarTelemetryDriver, keyof Driver>;

/** The known codes of the rear wing. The meaning of the others is not known. */
const DRS_OPEN: Readonly<Record<number, boolean>> = { 0: false, 1: false, 8: false, 10: true, 12: true, 14: true };

/** Creates the normaliser for one session. It keeps what it last emitted. */
export function carTelemetry(): Normalise {
  const sampling = new Sampling(telemetryOf);
  return (message, state) => {
    const samples = Object.values(objectOf(message.Entries));
    const { Utc, Cars } = objectOf(samples.at(-1));
    return sampling.emit({ utc: Utc, cars: objectOf(Cars) }, state);
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

/** Reads a pedal. The upstream sends 104 when it has no valid value. */
function percentOf(value: unknown): number | null {
  const percent = integerOf(value);
  return percent !== null && percent >= 0 && percent <= 100 ? percent : null;
}
