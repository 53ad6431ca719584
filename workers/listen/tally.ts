// What became of the updates, for the line at the end.

import type { Update } from '#api/client/slipstream-client.ts';
import { LIVE_SESSIONS_MAX } from '#engine/base/limits.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import type { AttemptReport } from './forwarder.ts';

export class Tally {
  /** Of attempts that were answered with a 2xx, each exact to 2 %. */
  readonly #latency = new LatencySketch();
  #updates = 0;
  #delivered = 0;
  #failed = 0;
  #unfinished = 0;
  #retries = 0;
  /**
   * Up to which sequence each session is done: updates that were given up come after it. Of as many sessions as can be live,
   * those of the latest updates, the latest last.
   */
  readonly #places = new Map<string, number>();

  get updates(): number {
    return this.#updates;
  }

  get failed(): number {
    return this.#failed;
  }

  get places(): readonly { readonly sessionId: string; readonly sequence: number }[] {
    return [...this.#places].map(([sessionId, sequence]) => ({ sessionId, sequence }));
  }

  came({ sessionId, sequence }: Update): void {
    this.#updates++;
    this.#places.delete(sessionId);
    this.#places.set(sessionId, sequence);
    if (this.#places.size > LIVE_SESSIONS_MAX) this.#places.delete(this.#places.keys().next().value!);
  }

  attempted({ update, attempt, latencyMs, after }: AttemptReport): void {
    if (attempt > 1) this.#retries++;
    if (after.kind === 'delivered') {
      this.#delivered++;
      this.#latency.add(latencyMs);
    } else if (after.kind === 'failed') {
      this.#failed++;
    } else if (after.kind === 'unfinished') {
      this.givenUp(update);
    }
  }

  givenUp({ sessionId, sequence }: Update): void {
    this.#unfinished++;
    if (sequence <= (this.#places.get(sessionId) ?? 0)) this.#places.set(sessionId, sequence - 1);
  }

  /** Of a listener that forwards. */
  get lines(): readonly string[] {
    const counts = [`${this.#delivered} delivered`, `${this.#failed} failed`];
    if (this.#unfinished > 0) counts.push(`${this.#unfinished} unfinished`);
    const retries = counted(this.#retries, 'retry', 'retries');
    const line = `${counted(this.#updates, 'update', 'updates')}: ${counts.join(', ')}; ${retries}`;
    if (this.#delivered === 0) return [line];
    const [p50, p95] = [0.5, 0.95].map((part) => milliseconds(this.#latency.quantile(part)));
    return [line, `latency p50 ${p50}, p95 ${p95}`];
  }
}

export function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** One digit below 10 ms. */
export function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
