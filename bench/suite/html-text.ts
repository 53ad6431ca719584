// Data and code inside an HTML page. Measurement names, notes and messages are untrusted and must stay text.

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
