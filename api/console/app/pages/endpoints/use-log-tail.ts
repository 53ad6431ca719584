// The delivery log of an endpoint, followed: the newest page is asked for every two seconds while the window is visible.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListDeliveryLogRequest } from '#api/client/calls.ts';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../data/service.ts';
import { useStale } from '../../data/stale.ts';
import { asError } from '../../data/use-load.ts';
import { problemOf } from '../../parts/loaded.tsx';
import { toast } from '../../parts/toasts.tsx';
import { type LogPage, type LogTail, NO_TAIL, withNewest, withOlder } from './log-tail.ts';

const POLL_MS = 2_000;
const PAGE = 100;
/** Pages that are looked through for one delivery: 2,000,000 attempts. */
const SEARCHED_PAGES_MAX = 40;

type Query = Omit<ListDeliveryLogRequest, 'webhookId'>;

type State =
  | { readonly kind: 'loading' }
  | ({ readonly kind: 'ready' } & LogTail)
  /** The first page did not come. Failures of later ones leave what is shown. */
  | { readonly kind: 'failed'; readonly error: SlipstreamError };

export interface FollowedLog {
  readonly state: State;
  readonly isLoadingOlder: boolean;
  readonly loadOlder: () => void;
  readonly reload: () => void;
}

export function useLogTail(webhookId: string, query: Query, isHeld: boolean): FollowedLog {
  const [state, setState] = useState<State>({ kind: 'loading' });
  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const [turn, setTurn] = useState(0);
  const setStale = useStale();
  const reload = (): void => {
    setState((before) => (before.kind === 'failed' ? { kind: 'loading' } : before));
    setTurn((before) => before + 1);
  };
  const held = useRef(isHeld);
  held.current = isHeld;
  const key = JSON.stringify(query);
  /** What answers belong to: those to an earlier query are dropped. */
  const current = useRef(key);
  current.current = key;

  useEffect(() => setState({ kind: 'loading' }), [webhookId, key]);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      try {
        const page = await newestPage(webhookId, query, signal);
        // An answer to an earlier query may have come in the moment in which this one began.
        if (signal.aborted) return;
        setState((before) => ({ kind: 'ready', ...withNewest(before.kind === 'ready' ? before : NO_TAIL, page) }));
        setStale(null);
      } catch (failure) {
        if (signal.aborted) return;
        const error = asError(failure);
        setState((before) => {
          if (before.kind !== 'ready') return { kind: 'failed', error };
          setStale({ error, reload });
          return before;
        });
      }
      // A delivery that was looked for is found, or it is not: nothing is followed.
      if (query.delivery === undefined) again();
    };
    const again = (): void => {
      if (signal.aborted) return;
      timer = setTimeout(() => (held.current || document.hidden ? again() : void ask()), POLL_MS);
    };
    void ask();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [webhookId, key, turn]);

  const loadOlder = async (): Promise<void> => {
    if (state.kind !== 'ready' || state.olderCursor === null) return;
    setLoadingOlder(true);
    try {
      const page = await service.listDeliveryLog({ webhookId, limit: PAGE, ...query, cursor: state.olderCursor });
      const { olderCursor } = state;
      setState((before) => {
        // The tail has begun anew meanwhile.
        if (current.current !== key || before.kind !== 'ready' || before.olderCursor !== olderCursor) return before;
        return { kind: 'ready', ...withOlder(before, page) };
      });
    } catch (failure) {
      toast({ message: problemOf(asError(failure)) });
    } finally {
      setLoadingOlder(false);
    }
  };

  return { state, isLoadingOlder, loadOlder: () => void loadOlder(), reload };
}

/** With a delivery that is looked for: the first page that has any of its attempts. */
async function newestPage(webhookId: string, query: Query, signal: AbortSignal): Promise<LogPage> {
  let page = await service.listDeliveryLog({ webhookId, limit: PAGE, ...query }, { signal });
  if (query.delivery === undefined) return page;
  for (let pages = 1; pages < SEARCHED_PAGES_MAX && page.logs.length === 0 && page.nextCursor !== null; pages++)
    page = await service.listDeliveryLog({ webhookId, limit: PAGE, ...query, cursor: page.nextCursor }, { signal });
  return page;
}
