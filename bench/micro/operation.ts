// What the micro bench measures: single operations, each as a lap that does it many times.

export interface Operation {
  /** Unique in the bench and the same in every version: measurements are known by it. */
  readonly name: string;
  /**
   * Does the operation `times` times, with inputs of its own, and answers a sum over what came out: so nothing can be
   * optimised away, and a wrong answer shows. A lap takes tens of microseconds at least, so that reading the clock is
   * nothing beside it, and less than a millisecond, so that on a busy machine most laps are not interrupted. One that
   * needs the event loop answers a promise.
   */
  readonly lap: () => number | Promise<number>;
  readonly times: number;
  /** What every lap must answer. */
  readonly answer: number;
  /** Bytes that one operation must allocate, no more and no less; left out where nothing is promised. */
  readonly bytes?: number;
}

/** A file `*.bench.ts`: the operations of one part of the engine. */
export interface Subject {
  /** Called once in a process. */
  readonly prepare: () => readonly Operation[] | Promise<readonly Operation[]>;
}

/** What one round says of an operation. */
export type Measured = Timed | Allocated;

export interface Timed {
  readonly what: 'time';
  readonly name: string;
  readonly ns: number;
  /** Laps that answered something else than they must. */
  readonly wrong: number;
}

export interface Allocated {
  readonly what: 'bytes';
  readonly name: string;
  readonly onHeap: number;
  /** Memory of buffers, above all. */
  readonly outside: number;
  /** What must be on the heap; null: nothing is promised. */
  readonly promised: number | null;
  readonly wrong: number;
}

/**
 * An operation of more than a hundred nanoseconds: `once` does it and answers `each`. Laps made here share a call that
 * the optimiser cannot look into, some five nanoseconds; smaller operations write their own.
 */
export function repeated(name: string, times: number, each: number, once: () => number): Operation {
  const lap = (): number => {
    let sum = 0;
    for (let i = 0; i < times; i++) sum += once();
    return sum;
  };
  return { name, times, answer: times * each, lap };
}

/** Holds a value, so that the optimiser cannot find out that nobody wants the object. */
export const kept: { value: unknown } = { value: null };
