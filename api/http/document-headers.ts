// The headers of pages, scripts and images.

import type { HeaderList } from './exchange.ts';
import type { Reply } from './operation.ts';

type ShownDocument = Omit<Extract<Reply<unknown>, { kind: 'document' }>, 'kind' | 'content'>;

/** Stops browsers from guessing another content type. */
export const NO_SNIFF: HeaderList = ['x-content-type-options', 'nosniff'];
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
const STRICT_POLICY =
  "default-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'";

/** Pages load scripts only from this service, and no page may frame them. */
export function documentHeaders(document: ShownDocument): HeaderList {
  const { contentType, strict, etag, encoding } = document;
  return [
    ...['content-type', contentType, 'content-security-policy', strict === true ? STRICT_POLICY : POLICY],
    ...['referrer-policy', 'no-referrer'],
    ...['cache-control', cacheControl(document)],
    ...(etag === undefined ? [] : ['etag', etag]),
    ...(encoding === undefined ? [] : ['content-encoding', encoding, 'vary', 'Accept-Encoding']),
  ];
}

function cacheControl({ maxAgeS, immutable }: ShownDocument): string {
  if (immutable === true) return 'public, max-age=31536000, immutable';
  return maxAgeS === undefined ? 'no-cache' : `max-age=${maxAgeS}`;
}
