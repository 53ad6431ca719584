// A language that nobody speaks, in the place of English: every text of the table in brackets, and half as long again. What
// a page shows outside of brackets is then either data or a text that the table does not have.

import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { Page } from 'playwright-core';
import { consoleShell } from '#api/console/console-shell.ts';
import { type BuiltConsole, buildConsole } from '#api/console/esbuild-console.ts';

/** What stands in the place of `text/text.ts`. Paths are no texts. */
const TABLE = `
import { en } from './en/en.ts';
import { operators } from './en/operators.ts';
const pseudo = (value) => {
  if (typeof value === 'function') return (...values) => pseudo(value(...values));
  if (typeof value === 'string') return value === '' || value.startsWith('/') ? value : '⟦' + value + more(value.length) + '⟧';
  if (Array.isArray(value)) return value.map(pseudo);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, pseudo(part)]));
};
const more = (length) => ' ǎǎǎǎ'.repeat(Math.ceil(length / 10));
export const text = pseudo(en);
export const operatorsText = pseudo(operators);
export const language = 'ja-JP';
`;

const plugin: Plugin = {
  name: 'pseudo-language',
  setup({ onLoad }) {
    onLoad({ filter: /app\/text\/text\.ts$/ }, ({ path }) => ({
      contents: TABLE,
      loader: 'js',
      resolveDir: fileURLToPath(new URL('.', `file://${path}`)),
    }));
  },
};

let built: Promise<BuiltConsole> | null = null;

/** Shows the console in that language in this page, from now on. */
export async function speakPseudo(page: Page): Promise<void> {
  built ??= buildConsole('console', [plugin]);
  const { files, ...names } = await built;
  const shell = consoleShell({ files, ...names }, '', { title: '', description: '', withoutScript: '' });
  await page.addInitScript(KEEP_DATA);
  await page.route('**/console/files/*', async (route) => {
    const file = files.get(route.request().url().split('/').at(-1)!);
    if (file === undefined) return route.continue();
    return route.fulfill({ contentType: file.contentType, body: Buffer.from(file.plain) });
  });
  await page.route(
    (url) => url.pathname === '/' || /^\/console\/[^.]*$/.test(url.pathname),
    async (route) => {
      if (route.request().resourceType() !== 'document') return route.continue();
      return route.fulfill({ response: await route.fetch(), body: shell });
    },
  );
}

/** Runs in the page: keeps what came as data. */
const KEEP_DATA = `
  globalThis.data = '';
  const { parse } = JSON;
  JSON.parse = (text, ...rest) => {
    if (globalThis.data.length < 20_000_000) globalThis.data += text;
    return parse(text, ...rest);
  };
`;

/** Not words of a language: units, and names of protocols and programs. */
const NEUTRAL = ['ms', 'UTC', 'px', 'KB', 'MB', 'GB', 'GET', 'POST', 'PUT', 'p50', 'p95', 'p99'];

/** The texts of the page that are neither of that language nor data. Code is in none. */
export function foreignTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const data = globalThis.data.replaceAll('\\\\"', '"');
    const neutral = new Set(${JSON.stringify(NEUTRAL)});
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.nodeType === 3) {
        if (node.parentElement.closest('script, style, noscript, pre, code') === null) texts.push(node.data);
      } else for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext']) {
        if (node.hasAttribute(name)) texts.push(node.getAttribute(name));
      }
    }
    const isKnown = (part) => !/[A-Za-z]{2}/.test(part) || neutral.has(part) || data.includes(part);
    return [...new Set(texts)].filter((text) => {
      // Data stands in brackets, too, and brackets in brackets.
      const outside = text.replaceAll(/⟦.*⟧/gs, ' ');
      return !outside.split(/[\\n,·:()/–%]|[ \\u00a0](?=\\d)|(?<=\\d)[ \\u00a0]/).every((part) => isKnown(part.trim()));
    });
  })()`);
}
