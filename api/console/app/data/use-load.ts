// What a page loads: loading, ready or failed, and loaded again on demand or from time to time. If a repeated load
// fails, what is shown stays, and the foot of the window says that it may be old.

import { useEffect, useRef, useState } from 'preact/hooks';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { useStale } from './stale.ts';

export type Load<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: SlipstreamError };

export interface LoadOptions {
  /** Loads again this long after each answer, while the page is visible. Default: never. */
  readonly everyMs?: number;
}

/** Loads when `keys` change. While a value is loaded again, the last one stays. `reload` loads now. */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  { everyMs }: LoadOptions = {},
): Load<Value> & { readonly reload: () => void } {
  const [state, setState] = useState<Load<Value>>({ kind: 'loading' });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const setStale = useStale();
  const reload = (): void => {
    setState((before) => (before.kind === 'failed' ? { kind: 'loading' } : before));
    setTurn((before) => before + 1);
  };
  useEffect(() => setState({ kind: 'loading' }), keys);
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (): void => {
      if (everyMs !== undefined) timer = setTimeout(() => (document.hidden ? again() : run()), everyMs);
    };
    const run = (): void => {
      latest
        .current(leaving.signal)
        .then((value) => {
          if (leaving.signal.aborted) return;
          setState({ kind: 'ready', value });
          setStale(null);
        })
        .catch((failure: unknown) => {
          if (leaving.signal.aborted) return;
          const error = asError(failure);
          setState((before) => {
            if (before.kind !== 'ready') return { kind: 'failed', error };
            setStale({ error, reload });
            return before;
          });
        })
        .finally(() => {
          if (!leaving.signal.aborted) again();
        });
    };
    run();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [...keys, turn]);
  return { ...state, reload };
}

/** What a failure says. Faults of the program itself are no SlipstreamError: they are thrown on. */
export function asError(failure: unknown): SlipstreamError {
  if (failure instanceof SlipstreamError) return failure;
  throw failure;
}
