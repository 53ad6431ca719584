// GET /v1/openapi.json: the OpenAPI document. GET /docs: the page that shows it. GET /docs/...: the files of the page.

import Type from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import { type Operation, publicOperation } from '#api/http/operation.ts';
import { DOCS_PAGE, DOCS_SCRIPT } from './docs-page.ts';
import type { JsonObject } from './named-schemas.ts';
import { swaggerUiFiles } from './swagger-ui-files.ts';

/** How long browsers cache the files of the documentation page. */
const FILES_AGE_S = 3_600;

export function docsRoutes(document: JsonObject): {
  readonly document: Operation;
  readonly page: Operation;
  readonly file: Operation;
} {
  // Slow readers share these bytes; with a string, each would hold a copy.
  const documentBytes = Buffer.from(JSON.stringify(document));
  const files = swaggerUiFiles();
  const pageShape = (summary: string) => ({ summary, answer: Type.Unknown(), undocumented: true as const });
  return {
    document: publicOperation(pageShape('Read the OpenAPI document'), async () => ({
      kind: 'document',
      contentType: 'application/json',
      content: documentBytes,
    })),

    page: publicOperation(pageShape('Show the documentation'), async () => ({
      kind: 'document',
      contentType: 'text/html; charset=utf-8',
      content: DOCS_PAGE,
    })),

    file: publicOperation(pageShape('Read a file of the documentation page'), async ({ params }) => {
      if (params.file === 'start.js') {
        return { kind: 'document', contentType: 'text/javascript; charset=utf-8', content: DOCS_SCRIPT };
      }
      const file = files.get(params.file!);
      if (file === undefined) throw new ApiError('not_found');
      return { kind: 'document', ...file, maxAgeS: FILES_AGE_S };
    }),
  };
}
