// Holds what receivers got against the delivery log, delivery by delivery. A delivery is an endpoint and a sequence.

import { NODE_LEASE_MS } from '#engine/base/limits.ts';

export interface Arrival {
  readonly sequence: number;
  /** When all of it had arrived, on the monotonic clock. */
  readonly atMs: number;
}

/** A node that was killed, stopped or cut off. */
export interface Hit {
  /** Its place on the stage. */
  readonly home: number;
  /** When, on the monotonic clock. */
  readonly atMs: number;
  /** A moment afterwards when it can have recorded no more, and nobody else has for it. */
  readonly untilMs: number;
  /** The last number of the log at that moment. */
  readonly logNo: bigint;
}

export interface LedgerCounts {
  readonly logged: number;
  /** Attempts in the log of what no receiver got. */
  readonly unreceived: number;
  /** Attempts in the log of what is in the log already. */
  readonly loggedTwice: number;
  /** What the node that was hit had sent and not recorded: it came by that moment, or came again. */
  readonly unrecorded: number;
  /** What it had recorded by that moment, and receivers had not got. */
  readonly recordedTooEarly: number;
  /** Arrivals of what had been recorded, was no matter of that node, or came after its lease or a third time. */
  readonly wronglyRepeated: number;
}

export class Ledger {
  readonly #arrivals: readonly (readonly Arrival[])[];
  /** By endpoint: the number in the log of each sequence. */
  readonly #logNos: readonly Map<number, bigint>[];
  #logged = 0;
  #loggedTwice = 0;

  /** `arrivals`: by endpoint, in order; repetitions too. */
  constructor(arrivals: readonly (readonly Arrival[])[]) {
    this.#arrivals = arrivals;
    this.#logNos = arrivals.map(() => new Map());
  }

  record(endpoint: number, sequence: number, logNo: bigint): void {
    this.#logged++;
    const logNos = this.#logNos[endpoint]!;
    if (logNos.has(sequence)) this.#loggedTwice++;
    const before = logNos.get(sequence);
    logNos.set(sequence, before !== undefined && before < logNo ? before : logNo);
  }

  /** `homeOf`: the place that was home to an endpoint when the node was hit. */
  counts(hit: Hit | null, homeOf: (endpoint: number) => number): LedgerCounts {
    let [unreceived, unrecorded, recordedTooEarly, wronglyRepeated] = [0, 0, 0, 0];
    for (const [endpoint, arrivals] of this.#arrivals.entries()) {
      const times = new Map<number, number[]>();
      for (const { sequence, atMs } of arrivals) {
        const all = times.get(sequence);
        if (all === undefined) times.set(sequence, [atMs]);
        else all.push(atMs);
      }
      const logNos = this.#logNos[endpoint]!;
      for (const sequence of logNos.keys()) if (!times.has(sequence)) unreceived++;
      const ofHit = hit !== null && hit.home === homeOf(endpoint) ? hit : null;
      for (const [sequence, [firstMs, ...again]] of times) {
        const logNo = logNos.get(sequence);
        const wasRecorded = ofHit === null || (logNo !== undefined && logNo <= ofHit.logNo);
        const mayRepeat = !wasRecorded && firstMs! < ofHit.atMs + NODE_LEASE_MS;
        wronglyRepeated += Math.max(0, again.length - (mayRepeat ? 1 : 0));
        if (ofHit === null) continue;
        if (!wasRecorded && (firstMs! < ofHit.untilMs || (mayRepeat && again.length > 0))) unrecorded++;
        if (wasRecorded && firstMs! >= ofHit.untilMs) recordedTooEarly++;
      }
    }
    return {
      logged: this.#logged,
      unreceived,
      loggedTwice: this.#loggedTwice,
      unrecorded,
      recordedTooEarly,
      wronglyRepeated,
    };
  }
}
