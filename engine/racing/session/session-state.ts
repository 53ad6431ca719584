// A session as the frames so far describe it: the merged state of each topic that is read, and the facts that every
// payload needs: the lap, the drivers and their positions. The series says where to find these facts
// (session-facts.ts).

import { integerOf, type Json, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { slugOf } from '#engine/racing/slug.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import { type ChangeTree, MergeError, merge } from './merge.ts';
import type { KindFacts, SessionFacts } from './session-facts.ts';

type Identity = Omit<Driver, 'position'>;

export class SessionState {
  readonly #facts: SessionFacts;
  readonly #topics = new Map<string, Json>();
  readonly #identities = new Map<string, Identity>();
  readonly #positions = new Map<string, number>();
  readonly #movedFrom = new Map<string, number>();
  #identityVersion = 0;
  #hasStatusTopic = false;

  constructor(facts: SessionFacts) {
    this.#facts = facts;
  }

  /** Merges a message. Returns the changes, or null if there are none. Throws a MergeError for an invalid message. */
  apply(topic: string, message: Json): ChangeTree | null {
    if (typeof message !== 'object' || message === null) throw new MergeError('the message is not an object');
    const { state, change, changed } = merge(this.#topics.get(topic), message);
    this.#topics.set(topic, state);
    this.#movedFrom.clear();
    if (!changed) return null;
    const changes = change as ChangeTree;
    const { drivers, timing } = this.#facts;
    if (topic === drivers.topic) this.#listDrivers(changes);
    if (topic === timing.topic) this.#move(collectionIn(changes, timing.under), timing.position);
    return changes;
  }

  /**
   * Merges the status that a message of another topic has told. Returns the changes, or null if there are none, or if
   * the session's status has a topic of its own in this recording.
   */
  applyLoggedStatus(topic: string, changes: ChangeTree): ChangeTree | null {
    const { status } = this.#facts;
    if (topic === status.topic) this.#hasStatusTopic = true;
    if (this.#hasStatusTopic || topic !== status.log?.topic) return null;
    const { list, field } = status.log;
    const entries = objectOf(this.topic(topic)[list]);
    const logged = Object.keys(objectOf(changes[list])).map((index) => objectOf(entries[index])[field]);
    const latest = logged.findLast((word) => textOf(word) !== null);
    return latest === undefined ? null : this.apply(status.topic, { [status.field]: latest });
  }

  topic(topic: string): JsonObject {
    return objectOf(this.#topics.get(topic));
  }

  /** Returns a driver's part of the timing. */
  timing(number: string): JsonObject {
    const { topic, under } = this.#facts.timing;
    return objectOf(collectionIn(this.topic(topic), under)[number]);
  }

  /** The leader's current lap; null where laps are not counted. */
  get lap(): number | null {
    const { topic, field } = this.#facts.lap;
    return integerOf(this.topic(topic)[field]);
  }

  get isRace(): boolean {
    const { kind } = this.#facts;
    if (kind === null) return true;
    const named = this.topic(kind.topic)[kind.field];
    return named === undefined ? this.lap !== null : named === kind.race;
  }

  get isQualifying(): boolean {
    const { kind } = this.#facts;
    if (kind === null) return false;
    const named = this.topic(kind.topic)[kind.field];
    return named === undefined ? this.#hasParts(kind) : named === kind.qualifying;
  }

  /**
   * Whether the session is running: started, and neither interrupted nor over. Until its status is told, it runs if the
   * leader has finished a lap.
   */
  get isStarted(): boolean {
    const { topic, field, running } = this.#facts.status;
    const status = this.topic(topic)[field];
    return status === undefined ? (this.lap ?? 0) > 1 : status === running;
  }

  /** Known positions by racing number. */
  get positions(): ReadonlyMap<string, number> {
    return this.#positions;
  }

  /** Previous positions of the drivers that the latest frame moved. */
  get movedFrom(): ReadonlyMap<string, number> {
    return this.#movedFrom;
  }

  /** Increases whenever a driver becomes known or changes in the driver list. */
  get identityVersion(): number {
    return this.#identityVersion;
  }

  /** Returns the known drivers, in the order in which they became known. */
  drivers(): Iterable<Identity> {
    return this.#identities.values();
  }

  /**
   * Returns a new object each time, for a payload to add fields to. A driver who is not listed yet has only a number.
   */
  driver(number: string): Driver {
    return { ...this.#identity(number), position: this.#positions.get(number) ?? null };
  }

  #identity(number: string): Identity {
    let identity = this.#identities.get(number);
    if (identity === undefined) {
      if (this.#identities.size === DRIVERS_MAX) throw new MergeError(`there are more than ${DRIVERS_MAX} drivers`);
      const { drivers } = this.#facts;
      identity = identityOf(number, objectOf(this.topic(drivers.topic)[number]), drivers);
      this.#identities.set(number, identity);
      this.#identityVersion++;
    }
    return identity;
  }

  #hasParts({ parts }: KindFacts): boolean {
    return parts.some((place) => {
      const state = this.topic(place.topic);
      const entries = 'list' in place ? Object.values(objectOf(state[place.list])) : [state];
      return entries.some((entry) => (integerOf(objectOf(entry)[place.field]) ?? 0) > 0);
    });
  }

  #listDrivers(changes: ChangeTree): void {
    const { drivers, timing } = this.#facts;
    const list = this.topic(drivers.topic);
    for (const number of racingNumbers(changes)) {
      this.#identity(number);
      this.#identities.set(number, identityOf(number, objectOf(list[number]), drivers));
      this.#identityVersion++;
    }
    // The order of the list serves as positions until the first timing message.
    if (drivers.line !== null && !this.#topics.has(timing.topic)) this.#move(changes, drivers.line);
  }

  #move(changes: JsonObject | ChangeTree, field: string): void {
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

/** Whether the text is one to three digits. */
export function isRacingNumber(text: string): boolean {
  if (text.length === 0 || text.length > 3) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Returns the keys of a collection that are racing numbers, ascending. */
export function racingNumbers(collection: object): string[] {
  return Object.keys(collection).filter(isRacingNumber);
}

function collectionIn(tree: JsonObject | ChangeTree, under: string | null): JsonObject {
  return objectOf(under === null ? tree : tree[under]);
}

function identityOf(number: string, listed: JsonObject, { code, team, names }: SessionFacts['drivers']): Identity {
  const name = nameOf(listed, names);
  const teamName = textOf(listed[team]);
  return {
    driverId: name === null ? null : slugOf(name),
    number,
    tla: textOf(listed[code]),
    name,
    team: teamName,
    constructorId: teamName === null ? null : slugOf(teamName),
  };
}

function nameOf(listed: JsonObject, ways: readonly (readonly string[])[]): string | null {
  for (const fields of ways) {
    const parts = fields.map((field) => textOf(listed[field]));
    if (!parts.includes(null)) return parts.join(' ');
  }
  return null;
}
