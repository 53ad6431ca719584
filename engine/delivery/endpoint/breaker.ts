// The circuit breaker of one endpoint in one replay: after too many failures in a row it pauses the endpoint in that
// run and probes it.
//
// B1 It opens after BREAKER_FAILURES failed attempts in a row.
// B2 While it is open, one update every BREAKER_PROBE_MS is sent as a probe: the next one to fall due. All others that
//    fall due are skipped. The interval counts from the start of the last probe. There is one probe at a time: one that
//    hangs delays the next until it ends, whatever becomes meanwhile of attempts that were under way before it.
// B3 A single 2xx closes it, whether from the probe or from an attempt that was still under way.

import { assert } from '#engine/base/assert.ts';

export const BREAKER_FAILURES = 20;
export const BREAKER_PROBE_MS = 3_000;

type State =
  | { readonly kind: 'closed'; failures: number }
  | { readonly kind: 'open'; readonly probeAtMs: number }
  | { readonly kind: 'probing'; readonly startedAtMs: number };

export class Breaker {
  #state: State = { kind: 'closed', failures: 0 };

  get open(): boolean {
    return this.#state.kind !== 'closed';
  }

  /** Whether an attempt may start now: the breaker is closed, or open with a probe due. */
  admits(nowMs: number): boolean {
    if (this.#state.kind === 'closed') return true;
    return this.#state.kind === 'open' && nowMs >= this.#state.probeAtMs;
  }

  /** Call when an admitted attempt starts. */
  started(nowMs: number): void {
    if (this.#state.kind === 'closed') return;
    assert(this.admits(nowMs), 'B2: only a due probe starts while the breaker is open');
    this.#state = { kind: 'probing', startedAtMs: nowMs };
  }

  succeeded(): void {
    if (this.#state.kind === 'closed') this.#state.failures = 0;
    else this.#state = { kind: 'closed', failures: 0 };
  }

  /** `startedAtMs` is when the failed attempt started. Every other one that is under way started before the probe. */
  failed(startedAtMs: number, nowMs: number): void {
    const state = this.#state;
    if (state.kind === 'closed') {
      state.failures++;
      if (state.failures >= BREAKER_FAILURES) this.#state = { kind: 'open', probeAtMs: nowMs + BREAKER_PROBE_MS };
    } else if (state.kind === 'probing' && startedAtMs === state.startedAtMs) {
      this.#state = { kind: 'open', probeAtMs: state.startedAtMs + BREAKER_PROBE_MS };
    }
  }

  /** Restores a breaker that was open before a restart; its probe is due at once. */
  reopen(nowMs: number): void {
    this.#state = { kind: 'open', probeAtMs: nowMs };
  }
}
