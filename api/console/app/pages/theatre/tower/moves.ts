// Which rows have changed places.

/** Keys whose place differs, with the number of rows that each was above its new one. */
export function movesOf(
  before: ReadonlyMap<string, number>,
  now: readonly string[],
): readonly (readonly [string, number])[] {
  const moves: (readonly [string, number])[] = [];
  now.forEach((key, index) => {
    const old = before.get(key);
    if (old !== undefined && old !== index) moves.push([key, old - index]);
  });
  return moves;
}
