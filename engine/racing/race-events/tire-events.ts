// tire_change: a car has other tires than before. TimingAppData begins a stint, or, when the stint before was never driven,
// puts another compound into it after a visit to the pits. The compound is often UNKNOWN or wrong for some seconds, so it is
// told once it is known and has stayed the same for 15 seconds, and not at all when the timing says that the tires were not
// changed. In a race the car must have been in the pits since, or the race interrupted: the tires of the grid are often
// listed only after the start. Only from the start of a session, or of a part of qualifying, to its end, interruptions included. Tires that the
// first message or a complete state shows are known.

import { integerOf, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

/** How long a compound must have stayed the same before the change of tires is told: it is corrected after 5 s or so. */
const TIRE_SETTLE_MS = 15_000;

interface Tires {
  readonly stint: number;
  readonly compound: string | null;
}

interface Car {
  /** What was known or told last. */
  tires: Tires;
  /** In the pits since then, or the session was interrupted. */
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
  #begun = false;

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const { topic, changes, state } = frame;
    if (topic === 'SessionStatus') this.#follow(changes.Status);
    else if (topic === 'TimingAppData') this.#compare(frame);
    else if (changes.Lines !== undefined) this.#notePits(objectOf(changes.Lines));
    return this.#changes.length === 0 ? NO_EVENTS : this.#tellDue(state, frame.utcMs);
  }

  #follow(status: unknown): void {
    if (status === 'Started' && !this.#begun) this.#notePitted(false);
    if (status === 'Aborted') this.#notePitted(true);
    if (status === 'Started' || status === 'Aborted') this.#begun = true;
    if (status === 'Finished' || status === 'Finalised' || status === 'Ends') this.#begun = false;
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

  #compare({ changes, state, utcMs, complete }: MergedFrame): void {
    const lines = objectOf(changes.Lines);
    for (const number of racingNumbers(lines)) {
      if (objectOf(lines[number]).Stints === undefined) continue;
      const { tires } = tiresOf(state, number);
      const car = this.#cars.get(number);
      if (car === undefined || complete || !this.#begun) {
        this.#cars.set(number, { tires, pitted: false });
        this.#forget(number);
        continue;
      }
      const pending = this.#changes.find((change) => change.number === number);
      const same = car.tires.stint === tires.stint;
      if (same && (!car.pitted || car.tires.compound === tires.compound)) continue;
      if (state.isRace && !car.pitted && state.topic('TimingData').Lines !== undefined) {
        car.tires = tires;
        continue;
      }
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

  #tellDue(state: SessionState, utcMs: number): readonly RaceEvent[] {
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

/** The latest stint, counted from 1, with its compound once that is known. */
function tiresOf(state: SessionState, number: string): { readonly tires: Tires; readonly fields: JsonObject } {
  const stints = objectOf(objectOf(objectOf(state.topic('TimingAppData').Lines)[number]).Stints);
  let latest = -1;
  for (const key of Object.keys(stints)) latest = Math.max(latest, integerOf(key) ?? -1);
  const fields = objectOf(stints[latest]);
  const compound = textOf(fields.Compound);
  return { tires: { stint: latest + 1, compound: compound === 'UNKNOWN' ? null : compound }, fields };
}
