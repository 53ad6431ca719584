// The page on which operations are tried out: Swagger UI over the OpenAPI document. Relative URLs let it work below a
// proxy's path. Its scripts are separate files, because the content security policy forbids inline scripts.

import { readFileSync } from 'node:fs';

export const TRY_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Try the API · Slipstream</title>
    <link rel="icon" type="image/png" href="favicon-32x32.png">
    <link rel="stylesheet" href="swagger-ui.css">
    <link rel="stylesheet" href="try.css">
  </head>
  <body>
    <nav><a href="../docs">Slipstream docs</a></nav>
    <p class="note" id="note">Examples work as they stand. <span id="signed-in"></span></p>
    <div id="page"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="own-ids.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`;

const FILES: Readonly<Record<string, string>> = {
  'own-ids.js': 'text/javascript; charset=utf-8',
  'start.js': 'text/javascript; charset=utf-8',
  'try.css': 'text/css; charset=utf-8',
};

/** The page's own files, by name. */
export function tryPageFiles(): ReadonlyMap<string, { readonly contentType: string; readonly content: Uint8Array }> {
  return new Map(
    Object.entries(FILES).map(([name, contentType]) => {
      const content = readFileSync(new URL(`try-page/${name}`, import.meta.url));
      return [name, { contentType, content }];
    }),
  );
}
