// Somebody else's text inside a message of ours: shortened and escaped, so that it can neither flood nor forge it.

const CHARS_MAX = 40;

export function quoted(text: string): string {
  return JSON.stringify(text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}…` : text);
}
