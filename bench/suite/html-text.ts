// Text that goes into a page: names of measurements, notes and messages come from anywhere, and stay text.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For the content of an element, and for an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** For the content of a <script> that holds JSON: nothing in it ends the element or begins a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** For the content of a <script> that holds code; only strings and regular expressions can have such characters in a row. */
export function scriptCode(code: string): string {
  return code.replaceAll(/<(?=\/script|!--)/gi, '\\x3C');
}
