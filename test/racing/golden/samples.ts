// Samples of cars as CarData.z and Position.z carry them: a few to a message, each with all cars.

import type { Script } from './script.ts';

export interface CarSample {
  readonly rpm: number;
  readonly speed: number;
  readonly gear: number;
  readonly throttle: number;
  readonly brake: number;
  readonly drs: number;
  /** Tenths of a metre. */
  readonly at: readonly [x: number, y: number, z: number];
  readonly status?: 'OnTrack' | 'OffTrack';
}

type Cars = Readonly<Record<string, CarSample>>;

/** One message of each topic, with the same samples, a fifth of a second apart and the last one at `seconds`. */
export function samples(script: Script, seconds: number, ...all: readonly Cars[]): void {
  tell(script, seconds, seconds, all);
}

/** The same with a clock that is wrong. */
export function mistimedSamples(script: Script, seconds: number, clockSeconds: number, ...all: readonly Cars[]): void {
  tell(script, seconds, clockSeconds, all);
}

function tell(script: Script, seconds: number, clockSeconds: number, all: readonly Cars[]): void {
  const timed = all.map((cars, index) => ({
    cars: Object.entries(cars),
    // With seven decimals, as the upstream's clocks have it.
    utc: script.utc(clockSeconds - 0.2 * (all.length - 1 - index)).replace('Z', '0323Z'),
  }));
  script.compressed(seconds + 0.4, 'CarData.z', {
    Entries: timed.map(({ utc, cars }) => ({
      Utc: utc,
      Cars: Object.fromEntries(
        cars.map(([number, { rpm, speed, gear, throttle, brake, drs }]) => [
          number,
          { Channels: { 0: rpm, 2: speed, 3: gear, 4: throttle, 5: brake, 45: drs } },
        ]),
      ),
    })),
  });
  script.compressed(seconds + 0.5, 'Position.z', {
    Position: timed.map(({ utc, cars }) => ({
      Timestamp: utc,
      Entries: Object.fromEntries(
        cars.map(
          ([
            number,
            {
              at: [X, Y, Z],
              status = 'OnTrack',
            },
          ]) => [number, { Status: status, X, Y, Z }],
        ),
      ),
    })),
  });
}
