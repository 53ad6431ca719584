// What a page shows of a session that plays: a replay or a live one.

import type { ReadonlySignal, Signal } from '@preact/signals';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import type { Stage } from './stage.ts';

/** A stage whose frames are drawn. */
export type ShownStage = Stage<Signal<number>>;

export type ShowState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'playing' }
  | { readonly kind: 'paused' }
  /** On its way to another place, or to another speed. */
  | { readonly kind: 'moving' }
  /** The connection broke, and comes back by itself. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'ended'; readonly how: 'completed' | 'stopped' | 'left' | 'over' }
  | { readonly kind: 'failed'; readonly error: SlipstreamError };

export interface Show {
  readonly stage: ShownStage;
  readonly state: ReadonlySignal<ShowState>;
  begin(): void;
  /** The page is left: nothing comes any more. */
  leave(): void;
}
