// What the page shows although its latest repetition failed: it may be old. Told in one place, however many parts it
// concerns.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';

export interface Stale {
  readonly error: SlipstreamError;
  readonly reload: () => void;
}

/** By the part of the page that shows it. */
export const stale = signal<ReadonlyMap<object, Stale>>(new Map());

/** Says whether the latest repetition of a part failed; null: it did not. */
export function useStale(): (now: Stale | null) => void {
  const part = useRef({}).current;
  const set = (now: Stale | null): void => {
    if (now === null && !stale.value.has(part)) return;
    const others = [...stale.value].filter(([other]) => other !== part);
    stale.value = new Map(now === null ? others : [...others, [part, now]]);
  };
  useEffect(() => () => set(null), []);
  return set;
}
