// The documentation page: Swagger UI over the OpenAPI document. Relative URLs let it work below a proxy's path. Its
// script is a separate file, because the content security policy forbids inline scripts.

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Slipstream API</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="page"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** The validator is off: it would send the document's URL to another host. */
export const DOCS_SCRIPT = `SwaggerUIBundle({
  url: 'v1/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;
