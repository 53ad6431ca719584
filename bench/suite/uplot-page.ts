// The HTML page around a report. It embeds uPlot, the drawing code and the style sheet, so the file can be sent and
// archived. Its content security policy blocks every external resource and every script but these two.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { escapeHtml } from '#engine/base/html-escape.ts';
import { scriptCode, scriptJson } from './html-text.ts';
import type { Plot } from './result.ts';

const read = (specifier: string): string => readFileSync(new URL(import.meta.resolve(specifier)), 'utf8');

/** `body` is HTML; its figures refer to their plot by its index in `plots`. */
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
