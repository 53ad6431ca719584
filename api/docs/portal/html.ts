// Text in HTML.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text as HTML shows it, inside an element or an attribute. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Escaped prose in which words between backticks are code. */
export function withCode(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** A block of code with its language's name above it. */
export function codeBlock(text: string, label: string): string {
  const caption = label === '' ? '' : `<figcaption>${escaped(label)}</figcaption>`;
  return `<figure class="code">${caption}<pre tabindex="0"><code>${escaped(text)}</code></pre></figure>\n`;
}
