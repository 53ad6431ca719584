// A normaliser turns the changes in one topic into the payload content of one feed.

import type { ChangeTree } from '#engine/racing/session/merge.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';

/** Content about the session as a whole, or entries for drivers. */
export type Content =
  | { readonly data: object }
  | {
      readonly drivers: readonly { readonly number: string; readonly position: number | null }[];
      readonly session?: object;
      readonly teams?: readonly object[];
      readonly sampleUtc?: string;
    };

export const NOTHING: readonly Content[] = [];

/**
 * Returns the content of the updates that a frame makes, in order; none if it changed nothing that the feed shows.
 * Compressed topics are not merged: for them, `changes` is the message itself.
 */
export type Normalise = (changes: ChangeTree, state: SessionState) => readonly Content[];

/** Whether one of these fields changed. */
export function touches(changes: object, fields: readonly string[]): boolean {
  return fields.some((field) => Object.hasOwn(changes, field));
}
