// The page that reports are put in: uPlot, the code that draws with it and the style sheet are part of the file, so
// that it can be sent and kept. Its policy lets in nothing from outside, and runs no script but these two.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { escapeHtml, scriptCode, scriptJson } from './html-text.ts';
import type { Plot } from './result.ts';

const read = (specifier: string): string => readFileSync(new URL(import.meta.resolve(specifier)), 'utf8');

/** `body` is HTML; its figures name their plot by its place in `plots`. */
export function uplotPage(title: string, body: string, plots: readonly Plot[]): string {
  const style = `${read('uplot/dist/uPlot.min.css')}\n${read('./report.css')}`;
  const scripts = [read('uplot/dist/uPlot.iife.min.js'), read('./uplot-draw.js')].map(scriptCode);
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(sourceHash).join(' ')}`,
    `style-src ${sourceHash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    body,
    `<script type="application/json" id="plots">${scriptJson(plots)}</script>`,
    ...scripts.map((code) => `<script>${code}</script>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
