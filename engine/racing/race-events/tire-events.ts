// tire_change: a car has other tires than before. TimingAppData begins a stint or, if the previous stint was never
// driven, puts another compound into it after a visit to the pits.
//
// The compound is often UNKNOWN or wrong for some seconds. So the event waits until the compound is known and has
// stayed the same for 15 seconds. There is no event if the timing takes the change back by then, or says that the tires
// were not changed. In a race, the car must have been in the pits since its last known tires, or the race interrupted:
// the tires of the grid are often listed only after the start.
//
// Events come only between the start and the end of a session or part of qualifying, interruptions included. Tires in
// the first message or in a snapshot are not news.

import { integerOf, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

/** How long a compound must stay the same before tire_change is emitted. Corrections come after about 5 s. */
const TIRE_SETTLE_MS = 15_000;

interface Tires {
  readonly stint: number;
  readonly compound: string | null;
}

interface Car {
  /** The tires last known or reported. */
  tires: Tires;
  /** Whether the car has been in the pits since then, or the session was interrupted. */
  pitted: boolean;
}

interface Change {
  readonly number: string;
  tires: Tires;
  sinceUtcMs: number;
}

export class TireEvents implements RaceEventRule {
  readonly topics = ['SessionStatus', 'TimingData', 'TimingAppData'];
  readonly #cars = new Map<string, Car>();
  #changes: Change[] = [];
  #running = false;

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const { topic, changes, state } = frame;
    if (topic === 'SessionStatus') this.#follow(changes.Status);
    else if (topic === 'TimingAppData') this.#compare(frame);
    else if (changes.Lines !== undefined) this.#notePits(objectOf(changes.Lines));
    return this.#changes.length === 0 ? NO_EVENTS : this.#emitDue(state, frame.utcMs);
  }

  #follow(status: unknown): void {
    if (status === 'Started' && !this.#running) this.#notePitted(false);
    if (status === 'Aborted') this.#notePitted(true);
    if (status === 'Started' || status === 'Aborted') this.#running = true;
    if (status === 'Finished' || status === 'Finalised' || status === 'Ends') this.#running = false;
  }

  #notePitted(pitted: boolean): void {
    for (const car of this.#cars.values()) car.pitted = pitted;
  }

  #notePits(lines: JsonObject): void {
    for (const number of racingNumbers(lines)) {
      const car = objectOf(lines[number]).InPit === true ? this.#cars.get(number) : undefined;
      if (car !== undefined) car.pitted = true;
    }
  }

  #compare({ changes, state, utcMs, isSnapshot }: MergedFrame): void {
    const lines = objectOf(changes.Lines);
    for (const number of racingNumbers(lines)) {
      if (objectOf(lines[number]).Stints === undefined) continue;
      const { tires } = tiresOf(state, number);
      const car = this.#cars.get(number);
      if (car === undefined || isSnapshot || !this.#running) {
        this.#cars.set(number, { tires, pitted: false });
        this.#forget(number);
        continue;
      }
      const same = car.tires.stint === tires.stint;
      if (same && car.tires.compound === tires.compound) this.#forget(number);
      if (same && (!car.pitted || car.tires.compound === tires.compound)) continue;
      if (state.isRace && !car.pitted && state.topic('TimingData').Lines !== undefined) {
        car.tires = tires;
        continue;
      }
      const pending = this.#changes.find((change) => change.number === number);
      if (pending === undefined) this.#changes.push({ number, tires, sinceUtcMs: utcMs });
      else if (pending.tires.stint !== tires.stint || pending.tires.compound !== tires.compound) {
        pending.tires = tires;
        pending.sinceUtcMs = utcMs;
      }
    }
  }

  #forget(number: string): void {
    this.#changes = this.#changes.filter((change) => change.number !== number);
  }

  #emitDue(state: SessionState, utcMs: number): readonly RaceEvent[] {
    const events: RaceEvent[] = [];
    this.#changes = this.#changes.filter(({ number, tires: { stint, compound }, sinceUtcMs }) => {
      if (compound === null || utcMs - sinceUtcMs < TIRE_SETTLE_MS) return true;
      const car = this.#cars.get(number)!;
      const previous = car.tires.compound;
      car.tires = { stint, compound };
      car.pitted = false;
      const { New, TyresNotChanged, StartLaps } = tiresOf(state, number).fields;
      if (TyresNotChanged === '1') return false;
      const ageLaps = integerOf(StartLaps);
      const data = {
        stint,
        compound,
        ...(previous === null ? {} : { previousCompound: previous }),
        ...(New === 'true' || New === 'false' ? { newTires: New === 'true' } : {}),
        ...(ageLaps === null ? {} : { tireAgeLaps: ageLaps }),
      };
      events.push({ type: 'tire_change', numbers: [number], data });
      return false;
    });
    return events;
  }
}

/** Returns the latest stint, from 1, with its compound, or null while that is unknown. */
function tiresOf(state: SessionState, number: string): { readonly tires: Tires; readonly fields: JsonObject } {
  const stints = objectOf(objectOf(objectOf(state.topic('TimingAppData').Lines)[number]).Stints);
  let latest = -1;
  for (const key of Object.keys(stints)) latest = Math.max(latest, integerOf(key) ?? -1);
  const fields = objectOf(stints[latest]);
  const compound = textOf(fields.Compound);
  return { tires: { stint: latest + 1, compound: compound === 'UNKNOWN' ? null : compound }, fields };
}
