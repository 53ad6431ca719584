// Who may use the operators' listener. With a token, programs send it as a bearer token; browsers ask for it as a password,
// for the operators' page only. Without one the listener serves this machine only, and of web pages its own.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AdminError } from './admin-error.ts';

const LOCAL_NAMES = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** A request of a program: frames and metrics. Throws an AdminError. */
export function admitProgram(token: string | null, request: IncomingMessage): void {
  if (token === null) {
    requireLocalName(request);
    if (request.headers.origin !== undefined)
      throw new AdminError(403, 'forbidden', 'Web pages may not send requests here.');
    return;
  }
  if (!isToken(bearerOf(request), token))
    throw new AdminError(401, 'unauthorized', 'Send ADMIN_TOKEN as Authorization: Bearer.');
}

/** A request for the operators' page or of it. Throws an AdminError. */
export function admitBrowser(token: string | null, request: IncomingMessage): void {
  if (token === null) requireLocalName(request);
  else if (!isToken(passwordOf(request) ?? bearerOf(request), token))
    throw new AdminError(401, 'unauthorized', 'Sign in with ADMIN_TOKEN as the password; the user name is ignored.', [
      'www-authenticate',
      'Basic realm="Slipstream operators", charset="UTF-8"',
    ]);
}

/**
 * Refuses requests that a page of another site sends in its visitor's name: browsers attach the password to those, too.
 * They name the page in Sec-Fetch-Site and Origin; other clients send neither.
 */
export function refuseForeignPages({ headers }: IncomingMessage): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site === 'same-origin' || site === 'none') return;
  const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  if (site === undefined && isOwn) return;
  throw new AdminError(403, 'cross_site', 'Pages of other sites may not send requests here.');
}

/** Against DNS rebinding. */
function requireLocalName({ headers }: IncomingMessage): void {
  if (!LOCAL_NAMES.test(headers.host ?? ''))
    throw new AdminError(403, 'forbidden', 'Use localhost or 127.0.0.1 as the host name.');
}

function bearerOf({ headers }: IncomingMessage): string {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** Null: the request has none. */
function passwordOf({ headers }: IncomingMessage): string | null {
  const [, encoded] = /^Basic ([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  return text.slice(text.indexOf(':') + 1);
}

function isToken(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
