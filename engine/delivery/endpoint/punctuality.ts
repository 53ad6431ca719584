// Whether an actor began the updates of a live session in time, and if not, by whose doing.
//
// PU1 Each update that matched is counted once, in the turn that begins its first attempt or lets it go. The counts
//     join the checkpoint that no longer has the update before it. So over crashes none is lost or counted twice, and
//     what is recorded of an endpoint adds up to what matched, snapshots apart: these have no time at which they are due.
// PU2 An update is on time if its first attempt began within FIRST_ATTEMPT_MS_MAX of its publication. If not, only the
//     time counts in which the receiver had room: while every attempt that it may have under way is unanswered, it
//     holds its own updates back. More than FIRST_ATTEMPT_MS_MAX of our time make an update late.
// PU3 What an earlier process published is late, however short the time in between: nobody measured it. Except what
//     the receiver held back when the checkpoint was taken: the wait of these begins anew.
// PU4 An update counts in the calendar month in which it was begun or let go.
//
// Our time is measured in steps. Of each of the last steps it is known when it was full, so whether an update has
// waited too long is one comparison, however long its receiver has held it back. The step that has begun counts whole.

import { assert } from '#engine/base/assert.ts';
import { FIRST_ATTEMPT_MS_MAX, FIRST_ATTEMPT_STEPS_MAX } from '#engine/base/limits.ts';
import type { NamedCells } from '#engine/delivery/meter/named-cells.ts';
import type { SkipReason } from '#engine/delivery/skip-reason.ts';
import {
  DUE_OUTCOMES,
  type DueDelta,
  type DueOutcome,
  EXCUSES,
  NOTHING_DUE,
} from '#engine/delivery/usage/due-outcome.ts';
import { isIn, type Month, monthOf } from '#engine/delivery/usage/month.ts';

const STEP_MS = FIRST_ATTEMPT_MS_MAX / FIRST_ATTEMPT_STEPS_MAX;
const NOTHING_RARE: Partial<Record<DueOutcome, number>> = Object.freeze({});

/** Made last. Thousands of checkpoints in a row have the same counts and share them. */
let lastOnTime: readonly [DueDelta] = [{ month: '', outcome: 'on_time', updates: 0 }];

function onTimeOnly(month: string, updates: number): readonly DueDelta[] {
  const [last] = lastOnTime;
  if (last.updates !== updates || last.month !== month) lastOnTime = [{ month, outcome: 'on_time', updates }];
  return lastOnTime;
}

export class Punctuality {
  readonly #bornMs: number;
  /** The receiver held back the positions before this one when the checkpoint was taken that it resumed from. */
  readonly #heldAtStart: number;
  /** Since the last checkpoint, in the present month. */
  #onTime = 0;
  /** The same of all other outcomes; made with the first one. */
  #rare = NOTHING_RARE;
  #month: Month;
  /** Counts of other months, and those that a predecessor has not written. */
  #others: readonly DueDelta[];
  #dirty = false;
  /** The receiver has held back positions before this one. */
  #heldBefore: number;
  /** Since the last turn every attempt that it may have under way is unanswered. */
  #holding = false;
  /** Since when it does, or did last. */
  #heldSinceMs = Number.NEGATIVE_INFINITY;
  /** Until when it last held any back. */
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** Since when updates wait for us; what came before is in `#ownMs`. Infinity while none does. */
  #ownSinceMs = Number.POSITIVE_INFINITY;
  /** How long updates have waited for us, in all. */
  #ownMs = 0;
  /** When each of the last steps of that time was full; made with the first one, as most actors wait and have none. */
  #full: Float64Array | null = null;

  readonly #meter: NamedCells<DueOutcome>;

  /** `unwritten`: counts that a predecessor has not written yet. */
  constructor(
    nowMs: number,
    wallMs: number,
    heldBefore: number,
    unwritten: readonly DueDelta[],
    meter: NamedCells<DueOutcome>,
  ) {
    this.#meter = meter;
    this.#bornMs = nowMs;
    this.#month = monthOf(wallMs);
    this.#heldAtStart = heldBefore;
    this.#heldBefore = heldBefore;
    this.#others = unwritten;
    this.#dirty = unwritten.length > 0;
  }

  get heldBefore(): number {
    return this.#heldBefore;
  }

  /** The turn has updates to begin, of which the first was due at `dueMs`. */
  waits(dueMs: number, nowMs: number): void {
    if (this.#holding) return;
    if (this.#ownSinceMs === Number.POSITIVE_INFINITY) this.#ownSinceMs = Math.max(dueMs, this.#heldUntilMs);
    this.#spend(nowMs);
  }

  /** An attempt has ended that had kept others from beginning, at `roomMs` as far as its receiver is concerned. */
  answered(roomMs: number): void {
    if (!this.#holding) return;
    this.#holding = false;
    this.#heldUntilMs = Math.max(this.#heldSinceMs, roomMs);
    this.#ownSinceMs = this.#heldUntilMs;
  }

  /** The turn has no updates to begin. */
  rests(): void {
    assert(!this.#holding, 'PU2: a receiver that holds updates back has some waiting');
    this.#ownSinceMs = Number.POSITIVE_INFINITY;
  }

  /** The turn is over. `held`: updates wait for the receiver. Those before `due` have been published. */
  turnEnded(waiting: boolean, held: boolean, due: number, nowMs: number): void {
    if (held && !this.#holding) this.#heldSinceMs = nowMs;
    else if (this.#holding && !held) this.#heldUntilMs = nowMs;
    this.#holding = held;
    if (held) this.#heldBefore = due;
    if (held || !waiting) this.#ownSinceMs = Number.POSITIVE_INFINITY;
  }

  /** A first attempt begins. `earlier`: an earlier process published the update, and `dueMs` is only a guess. */
  begun(position: number, dueMs: number, earlier: boolean, nowMs: number, wallMs: number): void {
    if (nowMs - dueMs <= FIRST_ATTEMPT_MS_MAX && !earlier) this.#count('on_time', wallMs);
    else this.#count(this.#afterWait(position, dueMs, earlier, nowMs), wallMs);
  }

  /** An update is let go before its first attempt. */
  letGo(position: number, reason: SkipReason, dueMs: number, earlier: boolean, nowMs: number, wallMs: number): void {
    this.#count(EXCUSES[reason] ?? this.#afterWait(position, dueMs, earlier, nowMs), wallMs);
  }

  /** Returns the counts since `written`. */
  counted(): readonly DueDelta[] {
    if (!this.#dirty) return NOTHING_DUE;
    return this.#others.length === 0 ? this.#ofMonth() : [...this.#others, ...this.#ofMonth()];
  }

  /** What `counted` has returned is in a checkpoint. */
  written(): void {
    if (!this.#dirty) return;
    this.#startCounts();
    this.#others = NOTHING_DUE;
    this.#dirty = false;
  }

  /** PU2, PU3 */
  #afterWait(position: number, dueMs: number, earlier: boolean, nowMs: number): 'late' | 'receiver_busy' {
    let sinceMs = dueMs;
    if (position < this.#heldAtStart) {
      sinceMs = Math.max(dueMs, this.#bornMs);
      if (nowMs - sinceMs <= FIRST_ATTEMPT_MS_MAX) return 'receiver_busy';
    } else if (earlier) {
      return 'late';
    }
    if (!this.#holding && this.#heldUntilMs <= sinceMs) return 'late';
    this.#spend(nowMs);
    if (this.#full === null) return 'receiver_busy';
    const steps = Math.floor(this.#ownMs / STEP_MS);
    return sinceMs < this.#full[(steps + 1) % FIRST_ATTEMPT_STEPS_MAX]! ? 'late' : 'receiver_busy';
  }

  #spend(nowMs: number): void {
    const sinceMs = this.#ownSinceMs;
    if (nowMs <= sinceMs) return;
    const before = this.#ownMs;
    this.#ownMs += nowMs - sinceMs;
    this.#ownSinceMs = nowMs;
    const last = Math.floor(this.#ownMs / STEP_MS);
    const first = Math.max(Math.floor(before / STEP_MS), last - FIRST_ATTEMPT_STEPS_MAX) + 1;
    if (first > last) return;
    this.#full ??= new Float64Array(FIRST_ATTEMPT_STEPS_MAX).fill(Number.NEGATIVE_INFINITY);
    for (let step = first; step <= last; step++)
      this.#full[step % FIRST_ATTEMPT_STEPS_MAX] = sinceMs + (step * STEP_MS - before);
  }

  #count(outcome: DueOutcome, wallMs: number): void {
    if (!isIn(this.#month, wallMs)) {
      this.#others = [...this.#others, ...this.#ofMonth()];
      this.#startCounts();
      this.#month = monthOf(wallMs);
    }
    if (outcome === 'on_time') {
      this.#onTime++;
    } else {
      if (this.#rare === NOTHING_RARE) this.#rare = {};
      this.#rare[outcome] = (this.#rare[outcome] ?? 0) + 1;
    }
    this.#meter.add(outcome);
    this.#dirty = true;
  }

  #startCounts(): void {
    this.#onTime = 0;
    this.#rare = NOTHING_RARE;
  }

  #ofMonth(): readonly DueDelta[] {
    const month = this.#month.firstDay;
    if (this.#rare === NOTHING_RARE) return this.#onTime === 0 ? NOTHING_DUE : onTimeOnly(month, this.#onTime);
    const deltas: DueDelta[] = [];
    if (this.#onTime > 0) deltas.push({ month, outcome: 'on_time', updates: this.#onTime });
    for (const outcome of DUE_OUTCOMES) {
      const updates = this.#rare[outcome];
      if (updates !== undefined) deltas.push({ month, outcome, updates });
    }
    return deltas;
  }
}
