// The address of one session in an archive: `https://HOST/static/2025/2025-05-04_Miami_Grand_Prix/2025-05-04_Race/`,
// with or without the final slash, or the address of its Index.json.

import { createHash } from 'node:crypto';
import { DOWNLOAD_SLUG_CHARS_MAX } from '#engine/base/limits.ts';
import { slugOf } from '#engine/racing/slug.ts';

export interface ArchiveAddress {
  /** Ends with a slash. */
  readonly baseUrl: string;
  /** A folder name: the readable end of the path, and a digest of the full address. */
  readonly slug: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Whether the text is an address rather than a path. */
export function isAddress(text: string): boolean {
  return SCHEME.test(text);
}

/** The address, or the problem with it, worded to follow the text. */
export function parseArchiveAddress(text: string): ArchiveAddress | { readonly problem: string } {
  const url = URL.parse(text);
  if (url === null) return { problem: 'this is not a URL' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { problem: 'it must begin with https:// or http://' };
  if (url.username !== '' || url.password !== '') return { problem: 'it must not hold a user name or a password' };
  if (url.search !== '' || url.hash !== '')
    return { problem: 'it must end with the path of the session, without ? and #' };
  const path = url.pathname.replace(/Index\.json$/, '').replace(/\/*$/, '/');
  const baseUrl = `${url.origin}${path}`;
  const called = slugOf(path.split('/').filter(Boolean).slice(-2).join('-')).slice(0, DOWNLOAD_SLUG_CHARS_MAX);
  const digest = createHash('sha256').update(baseUrl).digest('hex').slice(0, 8);
  return { baseUrl, slug: slugOf(`${called}-${digest}`) };
}
