// Issues bearer tokens and authenticates them. Only a token's SHA-256 is stored and cached, so neither the database nor
// a memory dump gives access.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#api/http/api-error.ts';
import type { Caller } from '#api/http/operation.ts';
import type { Clock } from '#engine/base/clock.ts';
import { isId } from '#engine/base/ids.ts';
import { ACCOUNT_TTL_MAX_MS, TOKEN_CHARS_MAX, TOKEN_TRIES_MAX, TOKENS_CACHED_MAX } from '#engine/base/limits.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { accountTtlMs } from './account-ttl.ts';
import type { TokenStore } from './token-store.ts';

export const TOKEN_LIFETIME_S = 43_200;
/**
 * RFC 7617 requires a realm for Basic, and RFC 6750 a parameter for Bearer. Some clients ignore challenges without one.
 */
const REALM = 'realm="slipstream"';
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;

export class TokenAuthority {
  readonly #store: TokenStore;
  readonly #secretBox: SecretBox;
  readonly #clock: Clock;
  readonly #known: LRUCache<string, Caller & { readonly expiresAtMs: number }>;
  /** Stands in for the secret of clients that do not exist, so that they cost the same work. */
  readonly #nobodySealed: Buffer;
  #forgotten = 0;

  constructor(store: TokenStore, secretBox: SecretBox, clock: Clock) {
    this.#store = store;
    this.#secretBox = secretBox;
    this.#clock = clock;
    this.#nobodySealed = secretBox.seal(randomBytes(32).toString('base64url'));
    this.#known = new LRUCache({
      max: TOKENS_CACHED_MAX,
      ttl: ACCOUNT_TTL_MAX_MS,
      ttlResolution: 0,
      perf: { now: () => clock.nowMs() },
    });
  }

  /** Issues a token for these client credentials. Rejects with `invalid_client`. */
  async issue(clientId: string, clientSecret: string): Promise<string> {
    // The secret may be replaced, or sealed under another key, between the lookup and the insert.
    for (let tries = 0; tries < TOKEN_TRIES_MAX; tries++) {
      const client = isId('cli', clientId) ? await this.#store.findClient(clientId) : null;
      const expected = this.#secretBox.open(client?.clientSecretSealed ?? this.#nobodySealed);
      // Digests have equal lengths and do not reveal where the texts differ.
      const right = timingSafeEqual(sha256(expected), sha256(clientSecret));
      if (client === null || !right) throw invalidClient();
      const token = randomBytes(32).toString('base64url');
      const nowMs = this.#clock.wallMs();
      const expiresAt = new Date(nowMs + TOKEN_LIFETIME_S * 1_000);
      if (await this.#store.insertToken(sha256(token), client, expiresAt, new Date(nowMs))) return token;
    }
    throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
  }

  /**
   * The caller with this Authorization header; throws or rejects with `unauthorized`. Synchronous if the token is
   * cached.
   */
  authenticate(authorization: string): Caller | Promise<Caller> {
    const token = authorization.length > TOKEN_CHARS_MAX ? undefined : BEARER.exec(authorization)?.[1];
    if (token === undefined) throw unauthorized(`Bearer ${REALM}`);
    const key = hash('sha256', token, 'base64');
    const nowMs = this.#clock.wallMs();
    const known = this.#known.get(key);
    return known !== undefined && known.expiresAtMs > nowMs ? known : this.#find(key, nowMs);
  }

  async #find(key: string, nowMs: number): Promise<Caller> {
    const forgottenBefore = this.#forgotten;
    const found = await this.#store.findToken(Buffer.from(key, 'base64'), new Date(nowMs));
    if (found === null) throw unauthorized(`Bearer ${REALM}, error="invalid_token"`);
    const caller = { accountId: found.accountId, plan: found.plan, expiresAtMs: found.expiresAt.getTime() };
    // A result read before a revocation must not be cached after it.
    if (forgottenBefore === this.#forgotten) this.#known.set(key, caller, { ttl: accountTtlMs(key) });
    return caller;
  }

  /** Drops this account's cached tokens, after they were revoked or the plan changed. */
  forgetAccount(accountId: string): void {
    this.#forgotten++;
    for (const [key, caller] of this.#known.entries()) if (caller.accountId === accountId) this.#known.delete(key);
  }

  forgetAll(): void {
    this.#forgotten++;
    this.#known.clear();
  }
}

export function invalidClient(): ApiError {
  return new ApiError('invalid_client', undefined, { 'www-authenticate': `Basic ${REALM}` });
}

function unauthorized(challenge: string): ApiError {
  return new ApiError('unauthorized', undefined, { 'www-authenticate': challenge });
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
