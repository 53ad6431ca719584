// GET /: what the service is, and how to begin. Operators whose web site has its own front lead `/` there.

import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { type Operation, publicOperation } from '#api/http/operation.ts';

export function homePage(): { readonly page: Operation; readonly script: Operation } {
  return {
    page: file('Show the first page', 'home.html', 'text/html; charset=utf-8'),
    script: file('Serve the script of that page', 'home.js', 'text/javascript; charset=utf-8'),
  };
}

function file(summary: string, name: string, contentType: string): Operation {
  const content = readFileSync(new URL(`home-page/${name}`, import.meta.url));
  return publicOperation({ summary, answer: Type.Unknown(), undocumented: true }, async () => ({
    kind: 'document',
    contentType,
    content,
  }));
}
