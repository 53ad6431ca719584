// Where the cars are, and the outline of the track as their paths show it.

import type { Fold, ShownUpdate } from '../show/fold.ts';
import { Entrants } from './entrants.ts';
import { OutlineLearner, type Point } from './outline.ts';
import { isOf } from './update-of.ts';

const CARS_MAX = 60;

export interface Car extends Point {
  readonly number: string;
  readonly isOnTrack: boolean;
  /** Counts the samples of this car. */
  readonly samples: number;
}

export class TrackMap implements Fold {
  readonly entrants = new Entrants();
  readonly learner = new OutlineLearner();
  /** Counts samples. */
  version = 0;
  #cars = new Map<string, Car>();

  reset(): void {
    this.entrants.reset();
    this.learner.reset();
    this.#cars = new Map();
    this.version++;
  }

  /** Where the track runs is known from now on. */
  rewind(): void {
    this.#cars = new Map();
    this.version++;
  }

  take(update: ShownUpdate): void {
    this.entrants.take(update);
    if (!isOf(update, 'car.position')) return;
    for (const { number, status, x, y, z } of update.payload.drivers) {
      const isMeasured = x !== null && y !== null && (x !== 0 || y !== 0 || z !== 0);
      if (!isMeasured) {
        this.learner.take(number, 0, 0, false);
        this.#cars.delete(number);
        continue;
      }
      this.learner.take(number, x, y, true);
      const known = this.#cars.get(number);
      if (known === undefined && this.#cars.size === CARS_MAX) continue;
      this.#cars.set(number, { number, x, y, isOnTrack: status === 'on_track', samples: (known?.samples ?? 0) + 1 });
    }
    this.version++;
  }

  cars(): Iterable<Car> {
    return this.#cars.values();
  }

  get carCount(): number {
    return this.#cars.size;
  }
}
