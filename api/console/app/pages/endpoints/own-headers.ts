// Headers of the customer's own, as a form keeps them: one a line, `Name: value`.

export type ParsedHeaders =
  | { readonly kind: 'ok'; readonly headers: Readonly<Record<string, string>> }
  /** The first line that is none, from 1. */
  | { readonly kind: 'wrong'; readonly line: number };

export function parseHeaders(text: string): ParsedHeaders {
  const headers = new Map<string, string>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon < 1 || name === '') return { kind: 'wrong', line: index + 1 };
    headers.set(name, line.slice(colon + 1).trim());
  }
  return { kind: 'ok', headers: Object.fromEntries(headers) };
}
