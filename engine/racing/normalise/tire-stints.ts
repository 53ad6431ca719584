// tire.stints: the tires of each stint, from two topics that say the same: TimingAppData, which every session has, and
// TyreStintSeries, which many have. Either can come first, be missing, or join late with its entire history.
//
// A fact is one field of one stint. Its value is emitted once, from the topic that says it first. The topic that last
// set the value may change it to anything. The other topic may change it only to a value that the fact never had: a
// value that it had is a late echo.

import { integerOf, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { TIRE_VALUES_KNOWN_MAX } from '#engine/base/limits.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import type { TireDriver, TireStint } from '#schemas/webhook/tire-stints.ts';
import { type Content, NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';
import { spelledBoolean } from './spelled-boolean.ts';

type Topic = 'TimingAppData' | 'TyreStintSeries';
type Value = string | number | boolean | null;

/** Keeps the values that were emitted in one session. Both topics share one instance. */
export class TireStints {
  readonly #facts = new Map<string, Fact>();

  readonly fromTimingAppData: Normalise = (changes, state) => {
    const lines = objectOf(changes.Lines);
    return this.#emit('TimingAppData', lines, (number) => objectOf(lines[number]).Stints, state);
  };

  readonly fromStintSeries: Normalise = (changes, state) => {
    const stints = objectOf(changes.Stints);
    return this.#emit('TyreStintSeries', stints, (number) => stints[number], state);
  };

  #emit(
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
    let changed = false;
    const emits = (name: string, value: Value): boolean => {
      const isNews = this.#fact(`${number} ${index} ${name}`).isNews(topic, value);
      changed ||= isNews;
      return isNews;
    };
    if (Object.hasOwn(change, 'Compound')) {
      const compound = textOf(change.Compound);
      if (emits('Compound', compound)) stint.compound = compound;
    }
    if (Object.hasOwn(change, 'New')) {
      const isNew = spelledBoolean(change.New);
      if (emits('New', isNew)) stint.isNew = isNew;
    }
    if (Object.hasOwn(change, 'TyresNotChanged')) {
      const notChanged = spelledBoolean(change.TyresNotChanged);
      if (emits('TyresNotChanged', notChanged)) stint.tiresChanged = notChanged === null ? null : !notChanged;
    }
    if (Object.hasOwn(change, 'TotalLaps')) {
      const totalLaps = integerOf(change.TotalLaps);
      if (emits('TotalLaps', totalLaps)) stint.totalLaps = totalLaps;
    }
    if (Object.hasOwn(change, 'StartLaps')) {
      const startLaps = integerOf(change.StartLaps);
      if (emits('StartLaps', startLaps)) stint.startLaps = startLaps;
    }
    return changed ? stint : null;
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

/** The values of one field of one stint that were emitted, the current one last. */
class Fact {
  readonly #emitted: Value[] = [];
  #lastTopic: Topic | null = null;

  /** Whether the value is to be emitted. If so, it counts as emitted from now on. */
  isNews(topic: Topic, value: Value): boolean {
    const emitted = this.#emitted;
    if (emitted.at(-1) === value || (topic !== this.#lastTopic && emitted.includes(value))) return false;
    if (emitted.length === TIRE_VALUES_KNOWN_MAX) emitted.shift();
    emitted.push(value);
    this.#lastTopic = topic;
    return true;
  }
}
