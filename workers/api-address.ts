// The address of the API, from the address of the service as people say it: with /v1 or without.

import { UsageError } from './admin/command.ts';

/** `setting`: what an error names; the address is not shown. */
export function apiAddress(text: string, setting: string): string {
  const url = parsed(text);
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${setting} must be the http or https address of the service, without user, query or fragment`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
}

/** Node 18, on which the package of the client runs, has no URL.parse. */
function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
