// Issues bearer tokens and authenticates them. Only a token's SHA-256 is stored and cached, so neither the database nor
// a memory dump gives access.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiError } from '#api/http/api-error.ts';
import type { Caller } from '#api/http/operation.ts';
import type { Clock } from '#engine/base/clock.ts';
import { isId } from '#engine/base/ids.ts';
import { TOKEN_CHARS_MAX, TOKEN_TRIES_MAX } from '#engine/base/limits.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { CallerCache } from './caller-cache.ts';
import { TokenGuard } from './token-guard.ts';
import { TokenRoom } from './token-room.ts';
import type { TokenStore } from './token-store.ts';

export const TOKEN_LIFETIME_S = 43_200;
export const CONSOLE_TOKEN_LIFETIME_S = 900;
/**
 * RFC 7617 requires a realm for Basic, and RFC 6750 a parameter for Bearer. Some clients ignore challenges without one.
 */
const REALM = 'realm="slipstream"';
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;

export class TokenAuthority {
  readonly #store: TokenStore;
  readonly #secretBox: SecretBox;
  readonly #clock: Clock;
  readonly #guard: TokenGuard;
  readonly #room: TokenRoom;
  readonly #known: CallerCache;
  /** Stands in for the secret of clients that do not exist, so that they cost the same work. */
  readonly #nobodySealed: Buffer;

  constructor(store: TokenStore, secretBox: SecretBox, clock: Clock) {
    this.#store = store;
    this.#secretBox = secretBox;
    this.#clock = clock;
    this.#nobodySealed = secretBox.seal(randomBytes(32).toString('base64url'));
    this.#guard = new TokenGuard(clock);
    this.#room = new TokenRoom(store);
    this.#known = new CallerCache(clock);
  }

  /**
   * Issues a token for these client credentials. Rejects with `invalid_client`, or with `rate_limit_exceeded` when there
   * were too many requests.
   */
  async issue(clientId: string, clientSecret: string, clientIp: string): Promise<string> {
    const attempt = await this.#guard.admit(clientIp);
    try {
      const token = await this.#issue(clientId, clientSecret);
      await attempt.discount();
      return token;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_client') await attempt.discount();
      throw error;
    }
  }

  /**
   * Issues a token for a page of the console. It ends with the sign-in, whose token's hash is given. Rejects with
   * `not_signed_in`, or with `rate_limit_exceeded` when there were too many requests.
   */
  async issueForConsole(accountId: string, signInHash: Buffer): Promise<string> {
    this.#guard.issueForConsole(accountId);
    const token = randomBytes(32).toString('base64url');
    const nowMs = this.#clock.wallMs();
    await this.#room.take(accountId, new Date(nowMs));
    const expiresAt = new Date(nowMs + CONSOLE_TOKEN_LIFETIME_S * 1_000);
    if (await this.#store.insertConsoleToken(sha256(token), accountId, signInHash, expiresAt)) return token;
    throw new ApiError('not_signed_in');
  }

  async #issue(clientId: string, clientSecret: string): Promise<string> {
    let isCounted = false;
    // The secret may be replaced, or sealed under another key, between the lookup and the insert.
    for (let tries = 0; tries < TOKEN_TRIES_MAX; tries++) {
      const client = isId('cli', clientId) ? await this.#store.findClient(clientId) : null;
      const expected = this.#secretBox.open(client?.clientSecretSealed ?? this.#nobodySealed);
      // Digests have equal lengths and do not reveal where the texts differ.
      const right = timingSafeEqual(sha256(expected), sha256(clientSecret));
      if (client === null || !right) throw invalidClient();
      if (!isCounted) this.#guard.issue(client.accountId);
      isCounted = true;
      const token = randomBytes(32).toString('base64url');
      const nowMs = this.#clock.wallMs();
      await this.#room.take(client.accountId, new Date(nowMs));
      const expiresAt = new Date(nowMs + TOKEN_LIFETIME_S * 1_000);
      if (await this.#store.insertToken(sha256(token), client, expiresAt)) return token;
    }
    throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
  }

  /**
   * The caller with this Authorization header; throws `unauthorized` if it holds no token. If the token is not cached:
   * how to look its caller up, which rejects with `unauthorized` if there is none.
   */
  authenticate(authorization: string): Caller | (() => Promise<Caller>) {
    const token = authorization.length > TOKEN_CHARS_MAX ? undefined : BEARER.exec(authorization)?.[1];
    if (token === undefined) throw unauthorized(`Bearer ${REALM}`);
    const key = hash('sha256', token, 'base64');
    const nowMs = this.#clock.wallMs();
    const known = this.#known.get(key);
    return known !== undefined && known.expiresAtMs > nowMs ? known : () => this.#find(key, nowMs);
  }

  async #find(key: string, nowMs: number): Promise<Caller> {
    const caller = await this.#known.find(key, async () => {
      const found = await this.#store.findToken(Buffer.from(key, 'base64'), new Date(nowMs));
      if (found === null) return null;
      const { accountId, plan, fromConsole, expiresAt } = found;
      return { accountId, plan, expiresAtMs: expiresAt.getTime(), ...(fromConsole && { fromConsole }) };
    });
    if (caller === null) throw unauthorized(`Bearer ${REALM}, error="invalid_token"`);
    return caller;
  }

  /** Drops this account's cached tokens, after they were revoked or the plan changed. */
  forgetAccount(accountId: string): void {
    this.#known.forget(accountId);
  }

  forgetAll(): void {
    this.#known.forgetAll();
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
