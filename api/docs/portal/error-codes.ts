// The table of all error codes, on the page about errors: from the table that refuses.

import { REFUSALS } from '#api/http/api-error.ts';
import { withCode } from './html.ts';
import type { PortalPage } from './portal-page.ts';

const PAGE = 'errors';
const HEADING = { id: 'codes', text: 'Error codes', depth: 2 };

/** Adds the table to the page about errors, and leaves others as they are. */
export function withErrorCodes(page: PortalPage): PortalPage {
  if (page.path !== PAGE) return page;
  const codes = Object.keys(REFUSALS);
  const headings = [...page.headings, HEADING, ...codes.map((code) => ({ id: code, text: code, depth: 3 }))];
  return { ...page, headings, content: (root) => page.content(root) + tableHtml() };
}

function tableHtml(): string {
  const rows = Object.entries(REFUSALS).map(
    ([code, [status, message]]) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${withCode(message)}</td></tr>`,
  );
  return `<h2 id="${HEADING.id}"><a href="#${HEADING.id}">${HEADING.text}</a></h2>
<p>The text says more where there is more to say. Programs read the code.</p>
<div class="table" tabindex="0"><table><thead><tr><th>status</th><th>code</th><th>what it says unless there is more</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>\n`;
}
