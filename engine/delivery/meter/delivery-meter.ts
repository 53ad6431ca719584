// Counts the deliveries of one thread in one mode: attempts by outcome, updates that failed or were skipped, and how
// long they took.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import { SKIP_REASONS, type SkipReason } from '#engine/delivery/skip-reason.ts';
import { ATTEMPT_OUTCOMES, type AttemptOutcome, attemptOutcome } from './attempt-outcome.ts';
import { CellPlan } from './cell-plan.ts';
import { Histogram, histogramCells } from './histogram.ts';
import { NamedCells } from './named-cells.ts';

export const ATTEMPT_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] as const;
/** A delivery can take longer: its retry delays alone add up to 36 s. */
export const DELIVERY_BOUNDS_MS = [...ATTEMPT_BOUNDS_MS, 30_000, 60_000] as const;
const ENDS = ['failed'] as const;

const plan = new CellPlan();
const ATTEMPTS = plan.take(ATTEMPT_OUTCOMES.length);
const ENDED = plan.take(ENDS.length);
const SKIPPED = plan.take(SKIP_REASONS.length);
const ATTEMPT_MS = plan.take(histogramCells(ATTEMPT_BOUNDS_MS));
const DELIVERY_MS = plan.take(histogramCells(DELIVERY_BOUNDS_MS));
export const DELIVERY_CELLS = plan.size;
const DELIVERED = ATTEMPTS + ATTEMPT_OUTCOMES.indexOf('delivered');

export class DeliveryMeter {
  /** How long attempts took, whatever their result. */
  readonly attemptMs: Histogram;
  /** The lag of delivered updates: from when they were due to when they were acknowledged. */
  readonly deliveryMs: Histogram;
  /** For the common case, a delivered attempt, which is counted without a lookup by name. */
  readonly #cells: Float64Array;
  readonly #attempts: NamedCells<AttemptOutcome>;
  readonly #ended: NamedCells<(typeof ENDS)[number]>;
  readonly #skipped: NamedCells<SkipReason>;

  constructor(cells: Float64Array, first: number) {
    this.#cells = cells.subarray(first, first + DELIVERY_CELLS);
    this.#attempts = new NamedCells(ATTEMPT_OUTCOMES, cells, first + ATTEMPTS);
    this.#ended = new NamedCells(ENDS, cells, first + ENDED);
    this.#skipped = new NamedCells(SKIP_REASONS, cells, first + SKIPPED);
    this.attemptMs = new Histogram(ATTEMPT_BOUNDS_MS, cells, first + ATTEMPT_MS);
    this.deliveryMs = new Histogram(DELIVERY_BOUNDS_MS, cells, first + DELIVERY_MS);
  }

  attemptSucceeded(latencyMs: number, lagMs: number): void {
    this.#cells[DELIVERED]!++;
    this.attemptMs.record(latencyMs);
    this.deliveryMs.record(lagMs);
  }

  attemptFailed(result: AttemptResult, latencyMs: number): void {
    this.#attempts.add(attemptOutcome(result));
    this.attemptMs.record(latencyMs);
  }

  /** Counts an update whose last attempt failed. */
  failed(): void {
    this.#ended.add('failed');
  }

  skipped(reason: SkipReason): void {
    this.#skipped.add(reason);
  }

  attempts(outcome: AttemptOutcome): number {
    return this.#attempts.value(outcome);
  }

  /** Whatever their outcome. */
  get attemptsEnded(): number {
    let ended = 0;
    for (const outcome of ATTEMPT_OUTCOMES) ended += this.#attempts.value(outcome);
    return ended;
  }

  get failures(): number {
    return this.#ended.value('failed');
  }

  skips(reason: SkipReason): number {
    return this.#skipped.value(reason);
  }
}
