// Visitors who know only the interface of the service: they sign up, read their mail and sign in. Each request comes from
// its own address, which keeps it within the limits per address. The service must trust the address in the request
// (`BEHIND_PROXY`).

import assert from 'node:assert/strict';
import type { ContractAnswer, ContractService } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { signUpBody, someAddress, someEmail } from '#test/support/people.ts';

/** Settings for a service that trusts the address in a request's X-Forwarded-For header. */
export const BEHIND_PROXY = { TRUST_PROXY: 'true' };

/** Sends a request from an address that no other request has. */
export function visit(
  { call }: ContractService,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ContractAnswer> {
  return call(method, path, body, { headers: { 'x-forwarded-for': someAddress(), ...headers } });
}

/** The cookie that a response sets, in the form in which the next request sends it. */
export function cookieOf({ headers }: ContractAnswer): string {
  const [cookie] = headers.getSetCookie();
  assert.ok(cookie !== undefined, 'the response sets a cookie');
  return cookie.split(';')[0]!;
}

/** The link in the newest mail to an address, once `count` mails have arrived. */
export async function mailedLink({ mails }: ContractService, email: string, count = 1): Promise<URL> {
  const text = await eventually(`mail ${count} to ${email}`, () => {
    const own = mails.filter(({ to }) => to === email);
    return own.length >= count && own.at(-1)!.text;
  });
  const link = /^https?:\/\/\S+\?token=\S+/m.exec(text)?.[0];
  assert.ok(link !== undefined, text);
  return new URL(link);
}

export async function mailedToken(service: ContractService, email: string, count = 1): Promise<string> {
  return (await mailedLink(service, email, count)).searchParams.get('token')!;
}

/** Signs up and leaves the mail unread. Returns the address. */
export async function signUp(service: ContractService): Promise<string> {
  const email = someEmail();
  const { status } = await visit(service, 'POST', '/auth/signup', signUpBody(email));
  assert.equal(status, 201);
  return email;
}

export interface Member {
  readonly accountId: string;
  readonly email: string;
  readonly cookie: string;
}

/** Signs up and verifies the email address. */
export async function member(service: ContractService): Promise<Member> {
  const email = await signUp(service);
  const confirmed = await visit(service, 'POST', '/auth/verify-email', { token: await mailedToken(service, email) });
  assert.equal(confirmed.status, 200);
  return { email, accountId: confirmed.body.data.accountId, cookie: cookieOf(confirmed) };
}

export interface Grant {
  readonly grant_type: 'client_credentials';
  readonly client_id: string;
  readonly client_secret: string;
}

/** The token request of the account that is signed in with this cookie. */
export async function grantOf({ call }: ContractService, cookie: string): Promise<Grant> {
  const { status, body } = await call('POST', '/oauth/credentials', undefined, { cookie });
  assert.equal(status, 200);
  return { grant_type: 'client_credentials', client_id: body.clientId, client_secret: body.clientSecret };
}
