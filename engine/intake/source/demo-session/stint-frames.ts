// Writes TimingAppData from the simulated race: the grid, the tyres of each stint and the laps driven on them.

import { type FrameWriter, lapTimeText } from './frame-writer.ts';
import type { Compound, Entrant } from './race-plan.ts';

interface CarStints {
  stint: number;
  lapsOnTyre: number;
  lapEndMs: number;
  bestLapMs: number;
}

export class StintFrames {
  readonly #out: FrameWriter;
  readonly #grid: readonly Entrant[];
  readonly #lightsMs: number;
  readonly #cars: CarStints[];

  constructor(out: FrameWriter, grid: readonly Entrant[], lightsMs: number) {
    this.#out = out;
    this.#grid = grid;
    this.#lightsMs = lightsMs;
    this.#cars = grid.map(() => ({ stint: 0, lapsOnTyre: 0, lapEndMs: 0, bestLapMs: Number.POSITIVE_INFINITY }));
  }

  snapshot(atMs: number): void {
    const lines = this.#grid.map(({ driver }, index) => [
      driver.number,
      { RacingNumber: driver.number, Line: index + 1, GridPos: String(index + 1), Stints: [] },
    ]);
    this.#out.write(atMs, 'TimingAppData', { Lines: Object.fromEntries(lines) });
  }

  /** Announces the starting tyres of all cars at once. */
  startTyres(atMs: number): void {
    const lines = this.#grid.map(({ driver, startTyre }) => [driver.number, { Stints: [newStint(startTyre)] }]);
    this.#out.write(atMs, 'TimingAppData', { Lines: Object.fromEntries(lines) });
  }

  lap(raceMs: number, car: number, lap: number): void {
    const stints = this.#cars[car]!;
    const lapMs = raceMs - stints.lapEndMs;
    stints.lapEndMs = raceMs;
    stints.lapsOnTyre++;
    const best = lap > 1 && lapMs < stints.bestLapMs;
    if (best) stints.bestLapMs = lapMs;
    const atMs = this.#lightsMs + raceMs + 90;
    if (lap > 1) {
      const fields = { LapTime: lapTimeText(lapMs), LapNumber: lap, LapFlags: best ? 1 : 0 };
      this.#write(atMs, car, stints.stint, fields);
    }
    this.#write(atMs + 1_350, car, stints.stint, { TotalLaps: stints.lapsOnTyre });
  }

  tyreChange(raceMs: number, car: number, tyre: Compound): void {
    const stints = this.#cars[car]!;
    stints.stint++;
    stints.lapsOnTyre = 0;
    this.#write(this.#lightsMs + raceMs + 2_200, car, stints.stint, newStint(tyre));
  }

  #write(atMs: number, car: number, stint: number, fields: Readonly<Record<string, unknown>>): void {
    const { number } = this.#grid[car]!.driver;
    this.#out.write(atMs, 'TimingAppData', { Lines: { [number]: { Stints: { [stint]: fields } } } });
  }
}

function newStint(tyre: Compound): Readonly<Record<string, unknown>> {
  return { LapFlags: 0, Compound: tyre, New: 'true', TyresNotChanged: '0', TotalLaps: 0, StartLaps: 0 };
}
