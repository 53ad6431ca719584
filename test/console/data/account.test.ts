// Who is signed in, while other tabs of the browser sign in and out.

import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, test } from 'node:test';

/** Named by its address: it is a module of browsers, which the types of tests do not know. */
const app = (file: string): string => new URL(`../../../api/console/app/${file}`, import.meta.url).href;

interface Account {
  readonly accountId: string;
  readonly plan: string;
}
interface AccountModule {
  readonly signIn: { value: { readonly kind: string; readonly account?: Account; readonly hasEnded?: boolean } };
  findAccount(): Promise<void>;
  checkAccount(): Promise<void>;
}
interface ServiceModule {
  readonly service: { listFeeds(request: object): Promise<unknown> };
}

const ANNA: Account = { accountId: 'acc_anna', plan: 'free' };
const BEN: Account = { accountId: 'acc_ben', plan: 'custom' };

const realFetch = globalThis.fetch;
let page: AccountModule;
let service: ServiceModule;
/** Whose session cookie the browser has; null: nobody's. */
let cookie: Account | null;
let isAway = false;
let tokens = 0;

before(async () => {
  Object.defineProperty(globalThis, 'location', { configurable: true, value: { origin: 'https://races.example.com' } });
  page = await import(app('data/account.ts'));
  service = await import(app('data/service.ts'));
});
beforeEach(() => {
  isAway = false;
  tokens = 0;
  globalThis.fetch = async (input) => {
    if (isAway) throw new TypeError('fetch failed');
    const { pathname } = new URL(String(input));
    if (pathname === '/v1/console/account') return Response.json({ data: cookie });
    if (pathname === '/v1/console/token') {
      tokens++;
      return Response.json({ access_token: `token of ${cookie?.accountId}`, token_type: 'Bearer', expires_in: 900 });
    }
    return Response.json({ data: { feeds: [], total: 0, limit: 20, offset: 0 } });
  };
});
afterEach(() => {
  globalThis.fetch = realFetch;
});

test('a tab in which another account has signed in elsewhere is that of the other account, with its token', async () => {
  cookie = ANNA;
  await page.findAccount();
  await service.service.listFeeds({});
  cookie = BEN;
  await page.checkAccount();
  assert.deepEqual(page.signIn.value, { kind: 'in', account: BEN });
  await service.service.listFeeds({});
  assert.equal(tokens, 2, 'no request for one account goes with the token of another');
});

test('a tab whose account has signed out elsewhere says that the sign-in has ended', async () => {
  cookie = ANNA;
  await page.findAccount();
  cookie = null;
  await page.checkAccount();
  assert.deepEqual(page.signIn.value, { kind: 'out', hasEnded: true });
});

test('the same account stays as it is, and its new plan is known', async () => {
  cookie = ANNA;
  await page.findAccount();
  const before = page.signIn.value;
  cookie = { ...ANNA };
  await page.checkAccount();
  assert.equal(page.signIn.value, before, 'nothing is drawn anew');
  cookie = { ...ANNA, plan: 'developer' };
  await page.checkAccount();
  assert.equal(page.signIn.value.account?.plan, 'developer');
});

test('a check that gets no answer changes nothing', async () => {
  cookie = ANNA;
  await page.findAccount();
  const before = page.signIn.value;
  isAway = true;
  await page.checkAccount();
  assert.equal(page.signIn.value, before);
});

test('who signs in after a sign-in has ended gets a token of their own', async () => {
  cookie = ANNA;
  await page.findAccount();
  await service.service.listFeeds({});
  page.signIn.value = { kind: 'out', hasEnded: true };
  cookie = BEN;
  await page.findAccount();
  await service.service.listFeeds({});
  assert.equal(tokens, 2);
});
