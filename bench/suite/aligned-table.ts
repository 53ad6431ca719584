// Rows of text in columns for a terminal: words begin under each other, numbers end under each other.

const COLUMN_GAP = '  ';

/** `rows` have as many cells each; `words` are the columns that hold words. */
export function alignedTable(rows: readonly (readonly string[])[], words: ReadonlySet<number>): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (words.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join(COLUMN_GAP)
      .trimEnd(),
  );
}
