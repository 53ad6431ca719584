/**
 * What the theatre and its panels agree on: every update is folded at once
 * into what a panel keeps, and drawn at the next frame. It names no type of
 * the browser, so that folds are tested without one.
 */

import type { Fold } from './updates.ts';

export type { Fold, ShownUpdate } from './updates.ts';

/** What a view of the theatre is given. */
export interface Theatre {
  /** Counts up at most once per drawn frame, when updates came: what reads `frame.value` is drawn anew. */
  readonly frame: { readonly value: number; subscribe(run: () => void): () => void };
  readonly sessionId: string;
}

/** A part of the theatre that is shown or hidden by itself. */
export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly fold: Fold;
  readonly View: (props: { readonly theatre: Theatre }) => object | null;
}
