// A session as the frames so far describe it: the merged state of each topic that something reads, and the few facts that
// every payload needs: the lap, who drives, and who is where.

import { DRIVERS_MAX } from '#engine/limits.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import { integerOf, type Json, type JsonObject, objectOf, textOf } from './json-value.ts';
import { type ChangeTree, MergeError, merge } from './merge.ts';
import { slugOf } from './slug.ts';

const RACING_NUMBER = /^\d{1,3}$/;

type Identity = Omit<Driver, 'position'>;

export class SessionState {
  readonly #topics = new Map<string, Json>();
  readonly #identities = new Map<string, Identity>();
  readonly #positions = new Map<string, number>();
  /** Positions before the latest frame, of the drivers that it moved. */
  readonly #movedFrom = new Map<string, number>();
  #identityVersion = 0;

  /** Merges a message. Answers what it changed, or null when nothing. Throws a MergeError when it can't be one. */
  apply(topic: string, message: Json): ChangeTree | null {
    if (typeof message !== 'object' || message === null) throw new MergeError('the message is not an object');
    const { state, change, changed } = merge(this.#topics.get(topic), message);
    this.#topics.set(topic, state);
    this.#movedFrom.clear();
    if (!changed) return null;
    const changes = change as ChangeTree;
    if (topic === 'DriverList') this.#listDrivers(changes);
    if (topic === 'TimingData') this.#move(objectOf(changes.Lines), 'Position');
    return changes;
  }

  topic(topic: string): JsonObject {
    return objectOf(this.#topics.get(topic));
  }

  /** A driver's part of TimingData. */
  timing(number: string): JsonObject {
    return objectOf(objectOf(this.topic('TimingData').Lines)[number]);
  }

  /** The lap that the leader is on, where laps are counted. */
  get lap(): number | null {
    return integerOf(this.topic('LapCount').CurrentLap);
  }

  get isRace(): boolean {
    return this.topic('SessionInfo').Type === 'Race';
  }

  /** Whether the session runs: it was started and is neither interrupted nor over. */
  get isStarted(): boolean {
    return this.topic('SessionStatus').Status === 'Started';
  }

  /** The drivers whose position is known, with it. */
  get positions(): ReadonlyMap<string, number> {
    return this.#positions;
  }

  /** Positions before the latest frame, of the drivers that it moved. */
  get movedFrom(): ReadonlyMap<string, number> {
    return this.#movedFrom;
  }

  /** Grows whenever a driver becomes known or is described anew. */
  get identityVersion(): number {
    return this.#identityVersion;
  }

  /** Drivers in the order in which they became known, with what is known of them. */
  drivers(): Iterable<Identity> {
    return this.#identities.values();
  }

  /** A new object each time, for a payload to add to. A driver who is not listed yet has only a number. */
  driver(number: string): Driver {
    return { ...this.#identity(number), position: this.#positions.get(number) ?? null };
  }

  #identity(number: string): Identity {
    let identity = this.#identities.get(number);
    if (identity === undefined) {
      if (this.#identities.size === DRIVERS_MAX) throw new MergeError(`there are more than ${DRIVERS_MAX} drivers`);
      identity = identityOf(number, objectOf(this.topic('DriverList')[number]));
      this.#identities.set(number, identity);
      this.#identityVersion++;
    }
    return identity;
  }

  #listDrivers(changes: ChangeTree): void {
    const list = this.topic('DriverList');
    for (const number of racingNumbers(changes)) {
      this.#identity(number);
      this.#identities.set(number, identityOf(number, objectOf(list[number])));
      this.#identityVersion++;
    }
    // The order of the list stands for positions until the timing tells them.
    if (!this.#topics.has('TimingData')) this.#move(changes, 'Line');
  }

  #move(changes: JsonObject | ChangeTree, field: 'Position' | 'Line'): void {
    for (const number of racingNumbers(changes)) {
      const position = integerOf(objectOf(changes[number])[field]);
      if (position === null || position < 1 || position > 255) continue;
      const before = this.#positions.get(number);
      if (before === position) continue;
      if (before !== undefined) this.#movedFrom.set(number, before);
      this.#positions.set(number, position);
    }
  }
}

/** The racing numbers among the keys of a collection of drivers, ascending. */
export function racingNumbers(collection: object): string[] {
  return Object.keys(collection).filter((key) => RACING_NUMBER.test(key));
}

function identityOf(number: string, listed: JsonObject): Identity {
  const first = textOf(listed.FirstName);
  const last = textOf(listed.LastName);
  const name = first !== null && last !== null ? `${first} ${last}` : textOf(listed.FullName);
  const team = textOf(listed.TeamName);
  return {
    driverId: name === null ? null : slugOf(name),
    number,
    tla: textOf(listed.Tla),
    name,
    team,
    constructorId: team === null ? null : slugOf(team),
  };
}
