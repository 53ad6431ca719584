// Rows of text as aligned columns for a terminal: words to the left, numbers to the right.

const COLUMN_GAP = '  ';

/** All rows have the same number of cells. `words` are the indexes of the columns that hold words. */
export function alignedTable(rows: readonly (readonly string[])[], words: ReadonlySet<number>): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (words.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join(COLUMN_GAP)
      .trimEnd(),
  );
}
