// GET /v1/openapi.json: the OpenAPI document. GET /docs and below: the documentation for customers, the page on which
// operations are tried out, and the files of both.

import Type from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import { type Operation, publicOperation, type Reply } from '#api/http/operation.ts';
import type { JsonObject } from './named-schemas.ts';
import { Portal, type PortalSettings } from './portal/portal.ts';
import { swaggerUiFiles } from './swagger-ui-files.ts';
import { TRY_PAGE, tryPageFiles } from './try-page.ts';

/** How long browsers cache the files of the pages. */
const FILES_AGE_S = 3_600;

export interface DocsRoutes {
  readonly document: Operation;
  /** `/docs`, and the overview of the feeds. */
  readonly first: Operation;
  readonly feeds: Operation;
  /** A guide or a file. */
  readonly page: Operation;
  readonly feed: Operation;
  readonly reference: Operation;
}

export function docsRoutes(document: JsonObject, settings: PortalSettings): DocsRoutes {
  // Slow readers share these bytes; with a string, each would hold a copy.
  const documentBytes = Buffer.from(JSON.stringify(document));
  const portal = new Portal(document, settings);
  const files = new Map([...swaggerUiFiles(), ...tryPageFiles(), ...portal.files]);

  const shown = (path: string): Reply<unknown> => {
    const content = portal.page(path);
    if (content === undefined) throw new ApiError('not_found');
    return { kind: 'document', contentType: 'text/html; charset=utf-8', content, strict: true };
  };
  const page = (summary: string, pathOf: (params: Readonly<Record<string, string>>) => string): Operation =>
    publicOperation(pageShape(summary), async ({ params }) => shown(pathOf(params)));

  return {
    document: publicOperation(pageShape('Read the OpenAPI document'), async () => ({
      kind: 'document',
      contentType: 'application/json',
      content: documentBytes,
    })),
    first: page('Show the documentation', () => ''),
    feeds: page('Show the feeds', () => 'feeds'),
    feed: page('Show a feed', ({ page }) => `feeds/${page}`),
    reference: page('Show a part of the reference', ({ page }) => `reference/${page}`),

    page: publicOperation(pageShape('Show a page of the documentation or one of its files'), async ({ params }) => {
      const name = params.page!;
      if (name === 'try') return { kind: 'document', contentType: 'text/html; charset=utf-8', content: TRY_PAGE };
      if (name === 'search.json') return { kind: 'document', contentType: 'application/json', content: portal.search };
      const file = files.get(name);
      return file === undefined ? shown(name) : { kind: 'document', ...file, maxAgeS: FILES_AGE_S };
    }),
  };
}

function pageShape(summary: string) {
  return { summary, answer: Type.Unknown(), undocumented: true as const };
}
