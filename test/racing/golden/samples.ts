// Car samples as CarData.z and Position.z carry them: a few in each message, each with all cars.

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

/** Adds one message of each topic with these samples, a fifth of a second apart, the last one at `seconds`. */
export function samples(script: Script, seconds: number, ...all: readonly Cars[]): void {
  sendSamples(script, seconds, seconds, all);
}

/** Does the same with a sample clock that is wrong. */
export function mistimedSamples(script: Script, seconds: number, clockSeconds: number, ...all: readonly Cars[]): void {
  sendSamples(script, seconds, clockSeconds, all);
}

function sendSamples(script: Script, seconds: number, clockSeconds: number, all: readonly Cars[]): void {
  const timed = all.map((cars, index) => ({
    cars: Object.entries(cars),
    // With seven decimals, as in the upstream.
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
