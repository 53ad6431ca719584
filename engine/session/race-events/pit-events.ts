// pit_entry: InPit becomes true. pit_exit: it becomes false. Both only while the session is started: before it and under a
// red flag cars go in and out without stopping. In a race an exit needs an entry before, because cars also leave the
// pits for the grid; in practice and qualifying the first exit is the beginning of a run.

import { booleanOf, objectOf } from '../json-value.ts';
import { racingNumbers } from '../session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

type Visit =
  | { readonly kind: 'none' }
  | { readonly kind: 'inside'; readonly sinceUtcMs: number }
  /** Inside while the session was interrupted: the time inside means nothing. */
  | { readonly kind: 'interrupted' };

interface Car {
  inPit: boolean;
  visits: number;
  visit: Visit;
}

export class PitEvents implements RaceEventRule {
  readonly #cars = new Map<string, Car>();

  apply(frame: MergedFrame): readonly RaceEvent[] {
    if (frame.topic === 'SessionStatus') this.#interrupt(frame);
    if (frame.topic !== 'TimingData') return NO_EVENTS;
    const lines = objectOf(frame.changes.Lines);
    const events: RaceEvent[] = [];
    for (const number of racingNumbers(lines)) {
      const inPit = booleanOf(objectOf(lines[number]).InPit);
      if (inPit === null) continue;
      const car = this.#cars.get(number);
      if (car === undefined) this.#cars.set(number, { inPit, visits: 0, visit: { kind: 'none' } });
      else if (car.inPit !== inPit) events.push(...this.#turn(number, car, inPit, frame));
    }
    return events;
  }

  #turn(number: string, car: Car, inPit: boolean, { state, utcMs }: MergedFrame): readonly RaceEvent[] {
    car.inPit = inPit;
    const { visit } = car;
    car.visit = { kind: 'none' };
    if (!state.isStarted) return NO_EVENTS;
    if (inPit) {
      car.visits++;
      car.visit = { kind: 'inside', sinceUtcMs: utcMs };
      return [{ type: 'pit_entry', numbers: [number], data: { stop: car.visits } }];
    }
    if (visit.kind === 'none' && state.isRace) return NO_EVENTS;
    const stop = car.visits === 0 ? {} : { stop: car.visits };
    const inside = visit.kind === 'inside' ? { pitLaneMs: Math.round(utcMs - visit.sinceUtcMs) } : {};
    return [{ type: 'pit_exit', numbers: [number], data: { ...stop, ...inside } }];
  }

  #interrupt({ state }: MergedFrame): void {
    if (state.isStarted) return;
    for (const car of this.#cars.values()) {
      if (car.visit.kind === 'inside') car.visit = { kind: 'interrupted' };
    }
  }
}
