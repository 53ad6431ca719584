import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#api/http/api-error.ts';
import { CallerCache } from '#api/tokens/caller-cache.ts';
import { TokenGuard } from '#api/tokens/token-guard.ts';
import { TokenRoom } from '#api/tokens/token-room.ts';
import type { TokenStore } from '#api/tokens/token-store.ts';
import {
  TOKEN_FAILURES_MAX,
  TOKEN_RATE_MAX,
  TOKENS_ENDED_AT_ONCE_MAX,
  TOKENS_PER_ACCOUNT_MAX,
} from '#engine/base/limits.ts';

let nowMs = 0;
const clock = { nowMs: () => nowMs, wallMs: () => 0 };
const exceeded = (error: unknown): boolean => error instanceof ApiError && error.code === 'rate_limit_exceeded';

test('wrong secrets count against their address only, and right ones do not count there', async () => {
  const guard = new TokenGuard(clock);
  for (let i = 0; i < 2 * TOKEN_FAILURES_MAX.requests; i++) await (await guard.admit('192.0.2.1')).discount();
  for (let i = 0; i < TOKEN_FAILURES_MAX.requests; i++) await guard.admit('192.0.2.1');
  await assert.rejects(guard.admit('192.0.2.1'), exceeded);
  await guard.admit('192.0.2.2');
});

test('tokens of one account are limited from wherever they are asked for, at ten a second', () => {
  const guard = new TokenGuard(clock);
  for (let i = 0; i < TOKEN_RATE_MAX.requests; i++) guard.issue('acc_1');
  assert.throws(() => guard.issue('acc_1'), exceeded);
  guard.issue('acc_2');
  nowMs += TOKEN_RATE_MAX.windowMs;
  guard.issue('acc_1');
  assert.equal(TOKEN_RATE_MAX.requests / TOKEN_RATE_MAX.windowMs, 10 / 1_000);
});

/** A store with so many tokens for every account, which counts how often it had to look at them. */
class CountedTokens implements Pick<TokenStore, 'makeRoom'> {
  held: number;
  looks = 0;

  constructor(held: number) {
    this.held = held;
  }

  async makeRoom(): Promise<number> {
    this.looks++;
    if (this.held >= TOKENS_PER_ACCOUNT_MAX) this.held -= TOKENS_ENDED_AT_ONCE_MAX;
    return this.held;
  }
}

test('the tokens of an account are looked at once for each hundred new ones, and stay below their bound', async () => {
  const store = new CountedTokens(TOKENS_PER_ACCOUNT_MAX);
  const room = new TokenRoom(store as unknown as TokenStore);
  for (let i = 0; i < 10 * TOKENS_ENDED_AT_ONCE_MAX; i++) {
    await room.take('acc_1', new Date(0));
    store.held++;
    assert.ok(store.held <= TOKENS_PER_ACCOUNT_MAX);
  }
  assert.equal(store.looks, 10);
});

test('token requests at the same moment share one look at the tokens of their account', async () => {
  const store = new CountedTokens(TOKENS_PER_ACCOUNT_MAX);
  const room = new TokenRoom(store as unknown as TokenStore);
  await Promise.all(Array.from({ length: TOKENS_ENDED_AT_ONCE_MAX }, () => room.take('acc_1', new Date(0))));
  assert.equal(store.looks, 1);
});

test('a revocation drops the tokens of its account, and look-ups of others under way are still cached', async () => {
  const cache = new CallerCache(clock);
  const lookUps = ['acc_1', 'acc_2'].map((accountId) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const caller = { accountId, plan: 'free' as const, expiresAtMs: Number.POSITIVE_INFINITY };
    return { found: cache.find(`key of ${accountId}`, () => promise.then(() => caller)), resolve };
  });
  cache.forget('acc_1');
  for (const { resolve } of lookUps) resolve();
  await Promise.all(lookUps.map(({ found }) => found));
  assert.equal(cache.get('key of acc_1'), undefined);
  assert.equal(cache.get('key of acc_2')?.accountId, 'acc_2');
  const known = { accountId: 'acc_1', plan: 'free' as const, expiresAtMs: Number.POSITIVE_INFINITY };
  await cache.find('key of acc_1', async () => known);
  await cache.find('other key of acc_1', async () => known);
  cache.forget('acc_1');
  assert.deepEqual([cache.get('key of acc_1'), cache.get('other key of acc_1')], [undefined, undefined]);
  assert.equal(cache.get('key of acc_2')?.accountId, 'acc_2');
  cache.forgetAll();
  assert.equal(cache.get('key of acc_2'), undefined);
});
