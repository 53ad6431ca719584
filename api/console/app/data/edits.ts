// What somebody changes in a form over values that others change, too: a program, or another window. Only that is sent;
// everything else is shown as it is now.

export interface Edits<Fields extends object> {
  /** Not saved yet. */
  readonly open: Partial<Fields>;
  /** Saved: shown until the values are loaded again. */
  readonly saved: Partial<Fields>;
}

export function shownOf<Fields extends object>(now: Fields, { open, saved }: Edits<Fields>): Fields {
  return { ...now, ...saved, ...open };
}

/** What was changed further while it was sent stays open. */
export function afterSave<Fields extends object>({ open, saved }: Edits<Fields>, sent: Partial<Fields>): Edits<Fields> {
  const left = Object.entries(open).filter(([name, value]) => value !== sent[name as keyof Fields]);
  return { open: Object.fromEntries(left) as Partial<Fields>, saved: { ...saved, ...sent } };
}

export function isUnchanged({ open }: Edits<object>): boolean {
  return Object.keys(open).length === 0;
}
