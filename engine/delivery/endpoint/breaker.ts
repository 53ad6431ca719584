// The breaker of one endpoint in one replay: after a row of failures the endpoint is paused for that run and probed.
//
// B1 It opens after BREAKER_FAILURES failed attempts in a row.
// B2 While it is open, one update every BREAKER_PROBE_MS goes out as a probe: the one that falls due at that moment. Everything
//    else that falls due is skipped. The time counts from the start of the last probe. There is one probe at a time; one that hangs
//    delays the next only until it ends.
// B3 One 2xx closes it, from the probe or from an attempt that was still under way.

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

  /** Whether an attempt that is due now may start: closed, or open with a probe due. */
  admits(nowMs: number): boolean {
    if (this.#state.kind === 'closed') return true;
    return this.#state.kind === 'open' && nowMs >= this.#state.probeAtMs;
  }

  /** An admitted attempt starts. */
  started(nowMs: number): void {
    if (this.#state.kind === 'closed') return;
    assert(this.admits(nowMs), 'B2: only a due probe starts while the breaker is open');
    this.#state = { kind: 'probing', startedAtMs: nowMs };
  }

  succeeded(): void {
    if (this.#state.kind === 'closed') this.#state.failures = 0;
    else this.#state = { kind: 'closed', failures: 0 };
  }

  failed(nowMs: number): void {
    const state = this.#state;
    if (state.kind === 'closed') {
      state.failures++;
      if (state.failures >= BREAKER_FAILURES) this.#state = { kind: 'open', probeAtMs: nowMs + BREAKER_PROBE_MS };
    } else if (state.kind === 'probing') {
      this.#state = { kind: 'open', probeAtMs: state.startedAtMs + BREAKER_PROBE_MS };
    }
  }

  /** As it stood before a restart: open, with a probe due at once. */
  reopen(nowMs: number): void {
    this.#state = { kind: 'open', probeAtMs: nowMs };
  }
}
