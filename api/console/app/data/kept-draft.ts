// What somebody has typed into a form when the sign-in ends: given back to the same account after it has signed in again.
// In memory only, for as long as the window is open.

import { useEffect, useRef, useState } from 'preact/hooks';
import { signIn } from './account.ts';

/** Beyond them the oldest go. */
const DRAFTS_MAX = 20;

interface Draft {
  readonly accountId: string;
  readonly value: unknown;
}

const drafts = new Map<string, Draft>();

export interface KeptState<Value> {
  readonly value: Value;
  readonly set: (value: Value) => void;
  /** Whether it was given back, and is not saved yet. */
  readonly isBack: boolean;
  /** It is saved: from now on there is nothing to keep. */
  readonly saved: () => void;
}

/** A state like any other, which outlasts the end of the sign-in once it was set. `name` is the form's, among all. */
export function useKept<Value>(name: string, initial: () => Value): KeptState<Value> {
  const state = signIn.value;
  const accountId = useRef(state.kind === 'in' ? state.account.accountId : null);
  const [draft] = useState(() => taken(name, accountId.current));
  const [isBack, setBack] = useState(draft !== null);
  const [value, setValue] = useState(() => (draft === null ? initial() : (draft.value as Value)));
  const latest = useRef<{ readonly value: Value } | null>(draft === null ? null : { value });
  useEffect(
    () => () => {
      const now = signIn.peek();
      if (latest.current === null || accountId.current === null || now.kind !== 'out' || !now.hasEnded) return;
      keep(name, { accountId: accountId.current, value: latest.current.value });
    },
    [],
  );
  const set = (next: Value): void => {
    latest.current = { value: next };
    setValue(next);
  };
  const saved = (): void => {
    latest.current = null;
    setBack(false);
  };
  return { value, set, isBack, saved };
}

function keep(name: string, draft: Draft): void {
  drafts.set(name, draft);
  if (drafts.size > DRAFTS_MAX) drafts.delete(drafts.keys().next().value!);
}

/** Somebody else's drafts are of no use to anybody any more. */
function taken(name: string, accountId: string | null): Draft | null {
  const draft = drafts.get(name);
  if (draft === undefined) return null;
  drafts.delete(name);
  if (draft.accountId === accountId) return draft;
  drafts.clear();
  return null;
}
