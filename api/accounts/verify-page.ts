// GET /verify-email: the page that verification emails link to, unless the operator hosts one (SITE_URL).

import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { type Operation, publicOperation } from '#api/http/operation.ts';

/** With the console, the page leads to it. */
export function verifyPage(servesConsole: boolean): { readonly page: Operation; readonly script: Operation } {
  return {
    page: file(
      'Show the page that confirms an address',
      'verify-email.html',
      'text/html; charset=utf-8',
      servesConsole,
    ),
    script: file('Serve the script of that page', 'verify-email.js', 'text/javascript; charset=utf-8'),
  };
}

function file(summary: string, name: string, contentType: string, servesConsole = true): Operation {
  const text = readFileSync(new URL(`verify-page/${name}`, import.meta.url), 'utf8');
  // Without the console, the keys are what comes next.
  const content = servesConsole ? text : text.replace(/.*id="console".*\n/, '').replace('<details>', '<details open>');
  return publicOperation({ summary, answer: Type.Unknown(), undocumented: true }, async () => ({
    kind: 'document',
    contentType,
    content,
  }));
}
