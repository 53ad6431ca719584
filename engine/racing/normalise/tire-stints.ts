// tire.stints: the tires of each stint, from two topics that say the same: TimingAppData, which every session has, and
// TyreStintSeries, which many have. Either may be first, be missing, or join late with all that was.
//
// A fact (one field of one stint) is told once, by whichever topic says it first. The topic that told it last may change it to
// anything. The other may change it only to what was never told of it: what was, is an echo of the past that comes late.

import { integerOf, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { TIRE_VALUES_KNOWN_MAX } from '#engine/base/limits.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import type { TireDriver, TireStint } from '#schemas/webhook/tire-stints.ts';
import { type Content, NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';
import { spelledBoolean } from './spelled-boolean.ts';

type Topic = 'TimingAppData' | 'TyreStintSeries';
type Value = string | number | boolean | null;

/** Remembers what it told: one for all topics that feed it. */
export class TireStints {
  readonly #facts = new Map<string, Fact>();

  readonly fromTimingAppData: Normalise = (changes, state) => {
    const lines = objectOf(changes.Lines);
    return this.#tell('TimingAppData', lines, (number) => objectOf(lines[number]).Stints, state);
  };

  readonly fromStintSeries: Normalise = (changes, state) => {
    const stints = objectOf(changes.Stints);
    return this.#tell('TyreStintSeries', stints, (number) => stints[number], state);
  };

  #tell(
    topic: Topic,
    byNumber: JsonObject,
    stintsOf: (number: string) => unknown,
    state: SessionState,
  ): readonly Content[] {
    const drivers: TireDriver[] = [];
    for (const number of racingNumbers(byNumber)) {
      const stints: TireStint[] = [];
      for (const [index, change] of places(stintsOf(number))) {
        const stint = this.#stint(topic, number, index, change);
        if (stint !== null) stints.push(stint);
      }
      if (stints.length > 0) drivers.push({ ...state.driver(number), stints });
    }
    return drivers.length === 0 ? NOTHING : [{ drivers }];
  }

  #stint(topic: Topic, number: string, index: number, change: JsonObject): TireStint | null {
    const stint: TireStint = { stint: index + 1 };
    let told = false;
    const tells = (name: string, value: Value): boolean => {
      const isNews = this.#fact(`${number} ${index} ${name}`).isNews(topic, value);
      told ||= isNews;
      return isNews;
    };
    if (Object.hasOwn(change, 'Compound')) {
      const compound = textOf(change.Compound);
      if (tells('Compound', compound)) stint.compound = compound;
    }
    if (Object.hasOwn(change, 'New')) {
      const isNew = spelledBoolean(change.New);
      if (tells('New', isNew)) stint.isNew = isNew;
    }
    if (Object.hasOwn(change, 'TyresNotChanged')) {
      const notChanged = spelledBoolean(change.TyresNotChanged);
      if (tells('TyresNotChanged', notChanged)) stint.tiresChanged = notChanged === null ? null : !notChanged;
    }
    if (Object.hasOwn(change, 'TotalLaps')) {
      const totalLaps = integerOf(change.TotalLaps);
      if (tells('TotalLaps', totalLaps)) stint.totalLaps = totalLaps;
    }
    if (Object.hasOwn(change, 'StartLaps')) {
      const startLaps = integerOf(change.StartLaps);
      if (tells('StartLaps', startLaps)) stint.startLaps = startLaps;
    }
    return told ? stint : null;
  }

  #fact(key: string): Fact {
    let fact = this.#facts.get(key);
    if (fact === undefined) {
      fact = new Fact();
      this.#facts.set(key, fact);
    }
    return fact;
  }
}

/** One field of one stint: what was told of it, the last of which holds. */
class Fact {
  readonly #told: Value[] = [];
  #teller: Topic | null = null;

  /** Whether this is to be told; then it counts as told. */
  isNews(topic: Topic, value: Value): boolean {
    const told = this.#told;
    if (told.at(-1) === value || (topic !== this.#teller && told.includes(value))) return false;
    if (told.length === TIRE_VALUES_KNOWN_MAX) told.shift();
    told.push(value);
    this.#teller = topic;
    return true;
  }
}
