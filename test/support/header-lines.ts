// Parses header lines as the transport gets them.

/** Values by name. The names keep their case. */
export function headerLines(lines: string): Map<string, string> {
  return new Map(
    lines
      .trimEnd()
      .split('\r\n')
      .map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)];
      }),
  );
}
