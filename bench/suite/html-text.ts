// Escapes text for an HTML page. Measurement names, notes and messages are untrusted and must stay text.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For the content of an element, or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** JSON for the content of a <script>: nothing in it closes the element or opens a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/**
 * Code for the content of a <script>. The replaced characters can only occur within strings and regular expressions.
 */
export function scriptCode(code: string): string {
  return code.replaceAll(/<(?=\/script|!--)/gi, '\\x3C');
}
