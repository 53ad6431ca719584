// People who sign up, each from a different address, so that the limits per address do not disturb a test.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { FrontSettings } from '#api/http/front-settings.ts';
import { type Answer, type Harness, until } from './api-harness.ts';

/** Trusts the addresses that the tests send. */
export const BEHIND_PROXY: FrontSettings = { trustProxy: { kind: 'all' }, https: false, corsOrigins: 'none' };

export const PASSWORD = 'correct horse battery';

export function someAddress(): string {
  return `10.${[...randomBytes(3)].join('.')}`;
}

export function someEmail(): string {
  return `${randomUUID()}@example.com`;
}

export function signUpBody(email: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { email, password: PASSWORD, tosAccepted: true, privacyAccepted: true, aupAccepted: true, ...changes };
}

/** Sends a request from a unique address. */
export function post(
  api: Harness,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return api.call('POST', `/v1${path}`, body, { 'x-forwarded-for': someAddress(), ...headers });
}

export function cookieOf({ headers }: Answer): { readonly cookie: string } {
  const [cookie] = headers.getSetCookie();
  assert.ok(cookie !== undefined, 'a cookie is set');
  return { cookie: cookie.split(';')[0]! };
}

/** The token in the latest mail to an address, once there are `count` mails. */
export async function mailedToken(api: Harness, email: string, count = 1): Promise<string> {
  const mails = () => api.mailer.sent.filter((mail) => mail.to === email);
  await until(() => mails().length >= count);
  const token = /^https:\/\/site\.example\.com\/verify-email\?token=([\w-]{43})$/m.exec(mails().at(-1)!.text)?.[1];
  assert.ok(token !== undefined, mails().at(-1)!.text);
  return token;
}

/** Creates a verified account that is signed in. */
export async function member(api: Harness, email = someEmail()) {
  assert.equal((await post(api, '/auth/signup', signUpBody(email))).status, 201);
  const confirmed = await post(api, '/auth/verify-email', { token: await mailedToken(api, email) });
  assert.equal(confirmed.status, 200);
  return { email, accountId: confirmed.body.data.accountId as string, headers: cookieOf(confirmed) };
}
