// What a page loads: loading, ready or failed, and loaded again on demand or from time to time.

import { useEffect, useRef, useState } from 'preact/hooks';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { signIn } from './account.ts';

export type Load<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: SlipstreamError };

export interface LoadOptions {
  /** Loads again this long after each answer, while the page is visible. Default: never. */
  readonly everyMs?: number;
}

/**
 * Loads when `keys` change. While a value is loaded again, the last one stays; a failure of a repeated load leaves it,
 * too. `reload` loads now.
 */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  { everyMs }: LoadOptions = {},
): Load<Value> & { readonly reload: () => void } {
  const [state, setState] = useState<Load<Value>>({ kind: 'loading' });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
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
        .then((value) => setState({ kind: 'ready', value }))
        .catch((failure: unknown) => {
          if (leaving.signal.aborted) return;
          const error = asError(failure);
          if (error.code === 'not_signed_in') signIn.value = { kind: 'out' };
          setState((before) => (before.kind === 'ready' ? before : { kind: 'failed', error }));
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
  return { ...state, reload: () => setTurn(turn + 1) };
}

/** What a failure says. Faults of the program itself are no SlipstreamError: they are thrown on. */
export function asError(failure: unknown): SlipstreamError {
  if (failure instanceof SlipstreamError) return failure;
  throw failure;
}
