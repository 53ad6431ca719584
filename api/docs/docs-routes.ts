// GET /v1/openapi.json: the OpenAPI document. GET /docs and below: the documentation for customers, the page on which
// operations are tried out, and the files of both.

import { createHash } from 'node:crypto';
import Type from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import { type Operation, publicOperation, type Reply } from '#api/http/operation.ts';
import type { JsonObject } from './named-schemas.ts';
import { Portal, type PortalSettings } from './portal/portal.ts';
import { swaggerUiFiles } from './swagger-ui-files.ts';
import { TRY_PAGE, tryPageFiles } from './try-page.ts';

/** How long browsers cache the files of the pages. */
const FILES_AGE_S = 3_600;
const HTML = 'text/html; charset=utf-8';

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
  const tryPage = Buffer.from(TRY_PAGE);
  const portal = new Portal(document, settings);
  const files = new Map([...swaggerUiFiles(), ...tryPageFiles(), ...portal.files]);

  const shown = (path: string): Document => {
    const content = portal.page(path);
    if (content === undefined) throw new ApiError('not_found');
    return { kind: 'document', contentType: HTML, content, strict: true };
  };
  const page = (summary: string, pathOf: (params: Readonly<Record<string, string>>) => string): Operation =>
    documentOperation(summary, (params) => shown(pathOf(params)));

  return {
    document: documentOperation('Read the OpenAPI document', () => ({
      kind: 'document',
      contentType: 'application/json',
      content: documentBytes,
    })),
    first: page('Show the documentation', () => ''),
    feeds: page('Show the feeds', () => 'feeds'),
    feed: page('Show a feed', (params) => `feeds/${params.page}`),
    reference: page('Show a part of the reference', (params) => `reference/${params.page}`),

    page: documentOperation('Show a page of the documentation or one of its files', (params) => {
      const name = params.page!;
      if (name === 'try') return { kind: 'document', contentType: HTML, content: tryPage };
      if (name === 'search.json') return { kind: 'document', contentType: 'application/json', content: portal.search };
      const file = files.get(name);
      return file === undefined ? shown(name) : { kind: 'document', ...file, maxAgeS: FILES_AGE_S };
    }),
  };
}

type Document = Extract<Reply<unknown>, { readonly kind: 'document' }> & { readonly content: Uint8Array };

/** Browsers keep pages, and ask whether they are still the same. */
function documentOperation(summary: string, find: (params: Readonly<Record<string, string>>) => Document): Operation {
  const shape = { summary, answer: Type.Unknown(), undocumented: true as const, reads: ['if-none-match'] };
  return publicOperation(shape, async ({ params, headers }) => {
    const document = find(params);
    const etag = etagOf(document.content);
    // A proxy that compresses makes the tag a weak one.
    const known = headers['if-none-match']!.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return known.includes(etag) ? { kind: 'unchanged', etag } : { ...document, etag };
  });
}

const etags = new WeakMap<Uint8Array, string>();

function etagOf(content: Uint8Array): string {
  let etag = etags.get(content);
  if (etag === undefined) {
    etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    etags.set(content, etag);
  }
  return etag;
}
