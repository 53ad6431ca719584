// What the page reads again and again while it is visible.

import { useEffect, useRef, useState } from 'preact/hooks';
import { operatorsText as text } from '../text/text.ts';
import { ListenerError, read } from './listener.ts';

export type Polled<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  /** The latest reading failed; `value` is from before. */
  | { readonly kind: 'stale'; readonly value: Value }
  | { readonly kind: 'failed'; readonly problem: string };

/** Reads at once and whenever `key` changes, then this long after each answer while the page is visible; null: not again. */
export function usePolled<Value>(
  path: string,
  everyMs: number | null,
  key: unknown = null,
): Polled<Value> & { readonly reload: () => void } {
  const [state, setState] = useState<Polled<Value>>({ kind: 'loading' });
  const reload = useRef(() => {});
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    const run = async (): Promise<void> => {
      if (isReading || (document.hidden && everyMs !== null)) return;
      isReading = true;
      clearTimeout(timer);
      try {
        const value = await read<Value>(path, leaving.signal);
        setState({ kind: 'ready', value });
      } catch (failure) {
        if (!leaving.signal.aborted) setState((before) => after(before, failure));
      }
      isReading = false;
      if (everyMs !== null && !leaving.signal.aborted) timer = setTimeout(run, everyMs);
    };
    const shown = (): void => void run();
    reload.current = shown;
    void run();
    if (everyMs !== null) document.addEventListener('visibilitychange', shown);
    return () => {
      leaving.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', shown);
    };
  }, [path, everyMs, key]);
  return { ...state, reload: () => reload.current() };
}

function after<Value>(before: Polled<Value>, failure: unknown): Polled<Value> {
  if (before.kind === 'ready' || before.kind === 'stale') return { kind: 'stale', value: before.value };
  return { kind: 'failed', problem: failure instanceof ListenerError ? failure.message : text.unreachable };
}
