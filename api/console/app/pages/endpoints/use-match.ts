// What a choice of feeds and filters would let through of a recorded session. The service's own filter answers.

import { useEffect, useState } from 'preact/hooks';
import type { Filters } from '#api/client/calls.ts';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { ask } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';

export interface Match {
  readonly matches: number;
  readonly updates: number;
  readonly samples: readonly {
    readonly sequence: number;
    readonly feedId: string;
    readonly body: string;
    /** The body is only the beginning. */
    readonly cut: boolean;
  }[];
  readonly drivers: readonly { readonly number: string; readonly code: string; readonly team: string }[];
}

/** Why there is no answer: a filter that is not finished, a session that is not prepared. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

interface Answer {
  readonly match: Match | null;
  readonly refusal: Refusal | null;
}

export interface MatchQuestion {
  readonly sessionId: string;
  readonly feedIds: readonly string[];
  readonly filters: Filters;
}

export type MatchState =
  /** There is nothing to ask yet. */
  | { readonly kind: 'none' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'known'; readonly match: Match }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'failed'; readonly error: SlipstreamError };

/** The question is asked when it has not changed for this long. */
const CALM_MS = 250;
/** A session that is being prepared is asked for again. */
const AGAIN_MS = 2_000;

/** Asks when the question has changed, and calmed down. Until its answer, that to the question before stays. */
export function useMatch(question: MatchQuestion): MatchState & { readonly ask: () => void } {
  const [state, setState] = useState<MatchState>({ kind: 'none' });
  const [turn, setTurn] = useState(0);
  const body = JSON.stringify(question);
  const isEmpty = question.feedIds.length === 0;
  useEffect(() => {
    if (isEmpty) {
      setState((before) => (before.kind === 'known' ? before : { kind: 'none' }));
      return;
    }
    let isGone = false;
    let timer = setTimeout(() => void run(), CALM_MS);
    const run = async (): Promise<void> => {
      try {
        const { data } = await ask<{ readonly data: Answer }>('POST', '/console/match', JSON.parse(body));
        if (isGone) return;
        const { match, refusal } = data;
        setState(match === null ? { kind: 'refused', refusal: refusal! } : { kind: 'known', match });
        if (refusal?.code === 'preparing') timer = setTimeout(() => void run(), AGAIN_MS);
      } catch (failure) {
        const error = asError(failure);
        if (!isGone) setState({ kind: 'failed', error });
      }
    };
    setState((before) => (before.kind === 'known' ? before : { kind: 'asking' }));
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [body, isEmpty, turn]);
  return { ...state, ask: () => setTurn(turn + 1) };
}
