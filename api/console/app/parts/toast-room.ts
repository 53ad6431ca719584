// Which messages have room at the foot of the window.

/** Messages beside each other. */
const SHOWN_MAX = 3;

/** The messages with one more. The oldest make room, but for those that offer something to do: they stay for their time. */
export function withToast<Shown extends { readonly action?: unknown }>(
  shown: readonly Shown[],
  next: Shown,
): readonly Shown[] {
  let over = shown.length + 1 - SHOWN_MAX;
  return [...shown.filter(({ action }) => action !== undefined || over-- <= 0), next];
}
