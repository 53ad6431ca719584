// What all shows have: the folds that keep what is seen, and the count of frames that draws them.
//
// An update is folded at once and drawn with the next frame of the browser, however many come before it. A hidden page
// draws nothing, and its folds go on.

import { type AnyPayload, shownUpdate } from './shown-update.ts';
import type { Fold, ShownUpdate } from './updates.ts';

const TIMING = 'timing.data';

interface FeedState extends AnyPayload {
  readonly feed: string;
}

export class Stage<Frame extends { value: number } = { value: number }> {
  readonly sessionId: string;
  /** Counts what is drawn. */
  readonly frame: Frame;
  readonly #folds: readonly Fold[];
  readonly #nextFrame: (draw: () => void) => void;
  #isDue = false;
  #atMs: number | null = null;

  /** `nextFrame` calls back before the browser draws. */
  constructor(sessionId: string, folds: readonly Fold[], frame: Frame, nextFrame: (draw: () => void) => void) {
    this.frame = frame;
    this.sessionId = sessionId;
    this.#folds = folds;
    this.#nextFrame = nextFrame;
    for (const fold of folds) fold.reset();
  }

  /** The time of the session that is shown; null before the first update. */
  get atMs(): number | null {
    return this.#atMs;
  }

  take(update: ShownUpdate): void {
    this.#atMs = Math.max(this.#atMs ?? 0, update.atMs);
    for (const fold of this.#folds) fold.take(update);
    this.#draw();
  }

  /**
   * What the updates up to a place leave behind. Each feed says the position that a driver had when it last named them:
   * timing, which follows every change, has the last word.
   */
  takeStates(states: readonly FeedState[]): void {
    for (const state of states.toSorted((a, b) => Number(a.feed === TIMING) - Number(b.feed === TIMING)))
      this.take({ ...shownUpdate(state.feed, state, JSON.stringify(state).length), isState: true });
  }

  /** The show moves back. */
  rewind(toMs: number): void {
    this.#atMs = toMs;
    for (const fold of this.#folds) {
      if (fold.rewind === undefined) fold.reset();
      else fold.rewind(toMs);
    }
    this.#draw();
  }

  /** The show moves forward. */
  advance(toMs: number): void {
    this.#atMs = Math.max(this.#atMs ?? 0, toMs);
    this.#draw();
  }

  #draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#nextFrame(() => {
      this.#isDue = false;
      this.frame.value++;
    });
  }
}
