// Whether attempts to an endpoint start in the order of their updates (I5).

/** The sequence of an update, and when its first attempt started. */
export type FirstAttempt = readonly [sequence: number, startedMs: number];

/** How many of the first attempts to one endpoint started before that of the update before them. */
export function startedEarly(firsts: readonly FirstAttempt[]): number {
  const inOrder = [...firsts].sort(([a], [b]) => a - b);
  return inOrder.filter(([, startedMs], place) => place > 0 && startedMs < inOrder[place - 1]![1]).length;
}
