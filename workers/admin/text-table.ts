// A table for a terminal: columns are as wide as their widest cell, numbers are right-aligned.

const NUMERIC = /^[-+]?\d[\d,. ]*( ?(ms|s|%))?$|^-$/;

export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const right = head.map((_, column) => rows.length > 0 && rows.every((row) => NUMERIC.test(row[column]!)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (right[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)].join('\n');
}
