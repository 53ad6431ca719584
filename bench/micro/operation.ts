// What the micro bench measures: single operations, each as a lap that repeats it many times.

export interface Operation {
  /** Unique within the bench and stable across versions: measurements are named after it. */
  readonly name: string;
  /**
   * Runs the operation `times` times and returns a sum over the results, so nothing can be optimised away and a wrong
   * result shows. A lap takes at least tens of microseconds, so reading the clock is negligible, and less than a
   * millisecond, so a busy machine does not interrupt most laps. A lap that needs the event loop returns a promise.
   */
  readonly lap: () => number | Promise<number>;
  readonly times: number;
  /** What every lap must return. */
  readonly answer: number;
  /** Bytes that one operation must allocate, no more and no less; absent if it promises nothing. */
  readonly bytes?: number;
}

/** A file `*.bench.ts`: the operations of one part of the engine. */
export interface Subject {
  /** Called once per process. */
  readonly prepare: () => readonly Operation[] | Promise<readonly Operation[]>;
}

/** The result of one round for one operation. */
export type Measured = Timed | Allocated;

export interface Timed {
  readonly what: 'time';
  readonly name: string;
  readonly ns: number;
  /** Laps with a wrong result. */
  readonly wrong: number;
}

export interface Allocated {
  readonly what: 'bytes';
  readonly name: string;
  readonly onHeap: number;
  /** Bytes allocated outside the heap, mostly by buffers. */
  readonly outside: number;
  /** The bytes that it must allocate on the heap, or null if it promises nothing. */
  readonly promised: number | null;
  readonly wrong: number;
}

/**
 * For an operation of more than a hundred nanoseconds: `once` runs it and must return `each`. The call to `once` is not
 * inlined and costs some five nanoseconds, so smaller operations write their own lap.
 */
export function repeated(name: string, times: number, each: number, once: () => number): Operation {
  const lap = (): number => {
    let sum = 0;
    for (let i = 0; i < times; i++) sum += once();
    return sum;
  };
  return { name, times, answer: times * each, lap };
}

/** Keeps a value reachable, so the optimiser cannot remove its allocation. */
export const kept: { value: unknown } = { value: null };
