// Signs exactly the bytes that are sent (I6), with the endpoint's secret of this moment (I8).
//
// Two schemes side by side: the hex HMAC of the raw body, keyed with the secret's whole text, and the Standard Webhooks
// signature over `id.timestamp.body`, keyed with the decoded part after `whsec_`. For 24 hours after a rotation the
// second one also carries the old secret's signature, as that standard foresees.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

export class Signer {
  readonly #key: KeyObject;
  readonly #standardKey: KeyObject;
  readonly #previousKey: KeyObject | null;
  readonly #previousUntilMs: number;

  constructor(secret: string, previousSecret: { readonly secret: string; readonly untilMs: number } | null) {
    this.#key = createSecretKey(Buffer.from(secret, 'utf8'));
    this.#standardKey = standardKey(secret);
    this.#previousKey = previousSecret === null ? null : standardKey(previousSecret.secret);
    this.#previousUntilMs = previousSecret === null ? 0 : previousSecret.untilMs;
  }

  /** `sha256=` and the hex HMAC-SHA256 of the body. */
  signature(body: Uint8Array): string {
    return `sha256=${createHmac('sha256', this.#key).update(body).digest('hex')}`;
  }

  /** The `webhook-signature` header: `v1,` and base64, once for each secret in force. `wallMs` is Unix milliseconds. */
  standardSignature(id: string, timestamp: string, body: Uint8Array, wallMs: number): string {
    const head = `${id}.${timestamp}.`;
    const current = standardSignature(this.#standardKey, head, body);
    if (this.#previousKey === null || wallMs >= this.#previousUntilMs) return current;
    return `${current} ${standardSignature(this.#previousKey, head, body)}`;
  }
}

function standardKey(secret: string): KeyObject {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return createSecretKey(Buffer.from(encoded, 'base64'));
}

function standardSignature(key: KeyObject, head: string, body: Uint8Array): string {
  return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
}
