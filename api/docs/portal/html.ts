// Text in HTML.

import { escapeHtml } from '#engine/base/html-escape.ts';

/** Escaped prose in which words between backticks are code. */
export function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** A block of code with its language's name above it. */
export function codeBlock(text: string, label: string): string {
  const caption = label === '' ? '' : `<figcaption>${escapeHtml(label)}</figcaption>`;
  return `<figure class="code">${caption}<pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>\n`;
}
