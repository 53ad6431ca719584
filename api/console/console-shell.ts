// The document of a page: the console's, at every address of it, or that of operators. What it shows is made by its script.

import { escapeHtml } from '#engine/base/html-escape.ts';
import { language } from './app/text/text.ts';
import type { BuiltConsole } from './esbuild-console.ts';

export interface ShellTexts {
  readonly title: string;
  readonly description: string;
  /** Shown where scripts are off. Markup. */
  readonly withoutScript: string;
}

/** `base`: the path below which the service is reached; empty, or without a slash at its end. */
export function consoleShell({ script, imports, style }: BuiltConsole, base: string, texts: ShellTexts): string {
  const below = escapeHtml(base);
  const file = (name: string): string => `${below}/console/files/${name}`;
  const preloads = imports.map((name) => `    <link rel="modulepreload" href="${file(name)}" />\n`).join('');
  return `<!doctype html>
<html lang="${language}" data-base="${below}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="dark light" />
    <meta name="description" content="${texts.description}" />
    <title>${texts.title}</title>
    <link rel="icon" href="${below}/console/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="${file(style)}" />
${preloads}    <script type="module" src="${file(script)}"></script>
  </head>
  <body>
    <div id="console"></div>
    <noscript>
      <p>${texts.withoutScript}</p>
    </noscript>
  </body>
</html>
`;
}
