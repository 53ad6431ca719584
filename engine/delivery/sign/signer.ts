// Signs exactly the bytes that are sent (I6), with the endpoint's present secret (I8).
//
// There are two schemes. The first is the hex HMAC of the raw body, keyed with the whole text of the secret. The second
// is the Standard Webhooks signature over `id.timestamp.body`, keyed with the decoded part after `whsec_`. For 24 hours
// after a rotation both are also made with the old secret: the second scheme puts its signature beside the new one, as that
// standard provides, the first into a header of its own.

import { HmacSha256 } from './hmac-sha256.ts';

const SECRET_PREFIX = 'whsec_';

export class Signer {
  readonly #key: HmacSha256;
  readonly #standardKey: HmacSha256;
  /** Of both schemes, the secret before the last rotation. */
  readonly #previousKey: HmacSha256 | null;
  readonly #previousStandardKey: HmacSha256 | null;
  readonly #previousUntilMs: number;

  constructor(secret: string, previousSecret: { readonly secret: string; readonly untilMs: number } | null) {
    this.#key = new HmacSha256(Buffer.from(secret, 'utf8'));
    this.#standardKey = standardKey(secret);
    this.#previousKey = previousSecret === null ? null : new HmacSha256(Buffer.from(previousSecret.secret, 'utf8'));
    this.#previousStandardKey = previousSecret === null ? null : standardKey(previousSecret.secret);
    this.#previousUntilMs = previousSecret === null ? 0 : previousSecret.untilMs;
  }

  /** Returns `sha256=` and the hex HMAC-SHA256 of the body. */
  signature(body: Uint8Array): string {
    return `sha256=${this.#key.digest('', body, 'hex')}`;
  }

  /** Returns the same made with the old secret; null when that is no longer valid. `wallMs` is Unix time. */
  previousSignature(body: Uint8Array, wallMs: number): string | null {
    if (this.#previousKey === null || wallMs >= this.#previousUntilMs) return null;
    return `sha256=${this.#previousKey.digest('', body, 'hex')}`;
  }

  /** Returns the `webhook-signature` value: `v1,` and base64 for each valid secret. `wallMs` is Unix time. */
  standardSignature(id: string, timestamp: string, body: Uint8Array, wallMs: number): string {
    const head = `${id}.${timestamp}.`;
    const current = `v1,${this.#standardKey.digest(head, body, 'base64')}`;
    if (this.#previousStandardKey === null || wallMs >= this.#previousUntilMs) return current;
    return `${current} v1,${this.#previousStandardKey.digest(head, body, 'base64')}`;
  }
}

function standardKey(secret: string): HmacSha256 {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return new HmacSha256(Buffer.from(encoded, 'base64'));
}
