// The documentation page: Swagger UI over the OpenAPI document. Its addresses are relative, so that it also works below a
// proxy's path; its script is a file of its own, because the page may run no inline ones.

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

/** Without a validator: it would send the document's address to another host. */
export const DOCS_SCRIPT = `SwaggerUIBundle({
  url: 'v1/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;
