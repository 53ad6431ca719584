// The page that every address of the console answers with. What it shows is made by its script.

import { escapeHtml } from '#engine/base/html-escape.ts';
import type { BuiltConsole } from './esbuild-console.ts';

/** `base`: the path below which the service is reached; empty, or without a slash at its end. */
export function consoleShell({ script, imports, style }: BuiltConsole, base: string): string {
  const below = escapeHtml(base);
  const file = (name: string): string => `${below}/console/files/${name}`;
  const preloads = imports.map((name) => `    <link rel="modulepreload" href="${file(name)}" />\n`).join('');
  return `<!doctype html>
<html lang="en" data-base="${below}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="dark light" />
    <meta name="description" content="Race data by webhook: signed updates within milliseconds, live and replayed." />
    <title>Slipstream</title>
    <link rel="icon" href="${below}/console/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="${file(style)}" />
${preloads}    <script type="module" src="${file(script)}"></script>
  </head>
  <body>
    <div id="console"></div>
    <noscript>
      <p>The console needs JavaScript. <a href="${below}/docs">The documentation</a> and the API do not.</p>
    </noscript>
  </body>
</html>
`;
}
