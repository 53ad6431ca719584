// pit_entry: InPit becomes true. pit_exit: it becomes false. Both only while the session is started: before the start
// and under a red flag, cars enter and leave without stopping. In a race, an exit needs an entry before it, because
// cars also leave the pits for the grid. In practice and qualifying, the first exit begins a run.
//
// A snapshot moves cars without an event. A car that it shows in the pits gets a pit_exit later, without the time
// inside. In a race, visits that have ended go to the rules for stops: pit-stops.ts and double-stacks.ts.

import { booleanOf, objectOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { DoubleStacks } from './double-stacks.ts';
import { PitStops } from './pit-stops.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

type Visit =
  | { readonly kind: 'none' }
  | { readonly kind: 'inside'; readonly sinceUtcMs: number }
  /** The session was interrupted in the meantime, or a snapshot showed the car inside: the time inside is not known. */
  | { readonly kind: 'interrupted' };

interface Car {
  inPit: boolean;
  visits: number;
  visit: Visit;
}

export class PitEvents implements RaceEventRule {
  readonly topics = [
    'SessionStatus',
    'TimingData',
    'TimingAppData',
    'PitLaneTimeCollection',
    'PitStopSeries',
    'RaceControlMessages',
  ];
  readonly #cars = new Map<string, Car>();
  readonly #stops = new PitStops();
  readonly #doubleStacks = new DoubleStacks();

  apply(frame: MergedFrame): readonly RaceEvent[] {
    if (frame.topic === 'SessionStatus') this.#interrupt(frame);
    if (frame.topic !== 'TimingData') return this.#stops.apply(frame);
    let events = this.#stops.emitDue(frame);
    if (frame.changes.Lines === undefined) return events;
    const lines = objectOf(frame.changes.Lines);
    for (const number of racingNumbers(lines)) {
      const inPit = booleanOf(objectOf(lines[number]).InPit);
      if (inPit === null) continue;
      const car = this.#cars.get(number);
      if (car === undefined) this.#cars.set(number, { inPit, visits: 0, visit: { kind: 'none' } });
      else if (car.inPit !== inPit) events = [...events, ...this.#turn(number, car, inPit, frame)];
    }
    return events;
  }

  #turn(number: string, car: Car, inPit: boolean, frame: MergedFrame): readonly RaceEvent[] {
    const { state, utcMs, isSnapshot } = frame;
    car.inPit = inPit;
    const { visit } = car;
    car.visit = { kind: 'none' };
    if (!state.isStarted) return NO_EVENTS;
    if (isSnapshot) {
      if (inPit) {
        car.visits++;
        car.visit = { kind: 'interrupted' };
      }
      return NO_EVENTS;
    }
    if (inPit) {
      car.visits++;
      car.visit = { kind: 'inside', sinceUtcMs: utcMs };
      this.#stops.enter(number, frame);
      return [{ type: 'pit_entry', numbers: [number], data: { stop: car.visits } }];
    }
    if (visit.kind === 'none' && state.isRace) return NO_EVENTS;
    const stop = car.visits === 0 ? {} : { stop: car.visits };
    if (visit.kind !== 'inside') return [{ type: 'pit_exit', numbers: [number], data: stop }];
    const pitLaneMs = Math.round(utcMs - visit.sinceUtcMs);
    const exit: RaceEvent = { type: 'pit_exit', numbers: [number], data: { ...stop, pitLaneMs } };
    if (!state.isRace) return [exit];
    this.#stops.leave({ number, stop: car.visits, pitLaneMs, exitUtcMs: utcMs });
    const doubleStack = this.#doubleStacks.leave(number, visit.sinceUtcMs, frame);
    return doubleStack === null ? [exit] : [exit, doubleStack];
  }

  #interrupt({ state }: MergedFrame): void {
    if (state.isStarted) return;
    for (const car of this.#cars.values()) {
      if (car.visit.kind === 'inside') car.visit = { kind: 'interrupted' };
    }
    this.#stops.interrupt();
  }
}
