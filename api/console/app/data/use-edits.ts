// The edits of a form, which outlast the end of the sign-in until they are saved.

import { useEffect, useRef, useState } from 'preact/hooks';
import { afterSave, isUnchanged, shownOf } from './edits.ts';
import { useKept } from './kept-draft.ts';

export interface EditedForm<Fields extends object> {
  readonly value: Fields;
  readonly change: (part: Partial<Fields>) => void;
  /** What is to be sent. */
  readonly open: Partial<Fields>;
  /** This was sent, and is saved. */
  readonly saved: (sent: Partial<Fields>) => void;
  /** It was given back, and is not saved yet. */
  readonly isBack: boolean;
}

/** `name` is the form's, among all. `now` are the values without the edits, from what was `loaded`. */
export function useEdits<Fields extends object>(name: string, now: Fields, loaded: unknown): EditedForm<Fields> {
  const kept = useKept<Partial<Fields>>(name, () => ({}));
  const [saved, setSaved] = useState<Partial<Fields>>({});
  const edits = useRef({ open: kept.value, saved });
  edits.current = { open: kept.value, saved };
  useEffect(() => setSaved({}), [loaded]);
  return {
    value: shownOf(now, edits.current),
    change: (part) => kept.set({ ...edits.current.open, ...part }),
    open: kept.value,
    saved(sent) {
      const next = afterSave(edits.current, sent);
      kept.set(next.open);
      if (isUnchanged(next)) kept.saved();
      setSaved(next.saved);
    },
    isBack: kept.isBack,
  };
}
