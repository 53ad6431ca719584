// The right of this process to start attempts. In a cluster it runs out unless it is renewed; a service alone has it for ever.
//
// It is one cell of shared memory that one thread writes and every thread reads before each attempt: an aligned number of
// eight bytes, which no reader sees half-written.

export class Lease {
  readonly #cell: Float64Array<SharedArrayBuffer>;

  /** `memory`: of a lease that another thread made. */
  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)) {
    this.#cell = new Float64Array(memory);
  }

  /** A lease that never runs out. */
  static forever(): Lease {
    const lease = new Lease();
    lease.extend(Number.POSITIVE_INFINITY);
    return lease;
  }

  /** For the threads that read it. */
  get memory(): SharedArrayBuffer {
    return this.#cell.buffer;
  }

  /** `nowMs`: on the monotonic clock, which all threads share. */
  holdsAt(nowMs: number): boolean {
    return nowMs < this.#cell[0]!;
  }

  /** When it runs out; -Infinity once it has been dropped. */
  get untilMs(): number {
    return this.#cell[0]!;
  }

  extend(untilMs: number): void {
    this.#cell[0] = untilMs;
  }

  /** Ends it at once. */
  drop(): void {
    this.#cell[0] = Number.NEGATIVE_INFINITY;
  }
}
