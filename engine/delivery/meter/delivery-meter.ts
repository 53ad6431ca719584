// What came of the deliveries of one thread in one mode: attempts by outcome, updates that were given up or skipped, and how
// long it took.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import { SKIP_REASONS, type SkipReason } from '#engine/delivery/skip-reason.ts';
import { ATTEMPT_OUTCOMES, type AttemptOutcome, attemptOutcome } from './attempt-outcome.ts';
import { CellPlan } from './cell-plan.ts';
import { Histogram, histogramCells } from './histogram.ts';
import { NamedCells } from './named-cells.ts';

export const ATTEMPT_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] as const;
/** An update may have four attempts, 36 s apart in all. */
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
  /** How long attempts took, whatever came of them. */
  readonly attemptMs: Histogram;
  /** How long after they were due updates were acknowledged. */
  readonly deliveryMs: Histogram;
  /** Most attempts deliver: that is counted without asking for its name. */
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

  /** No further attempt is made. */
  failed(): void {
    this.#ended.add('failed');
  }

  skipped(reason: SkipReason): void {
    this.#skipped.add(reason);
  }

  attempts(outcome: AttemptOutcome): number {
    return this.#attempts.value(outcome);
  }

  get failures(): number {
    return this.#ended.value('failed');
  }

  skips(reason: SkipReason): number {
    return this.#skipped.value(reason);
  }
}
