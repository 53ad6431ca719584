// Secrets at rest. Signing and client secrets must be shown again (interface.md), so they cannot be hashed; they are sealed
// with AES-256-GCM under a key that is not in the database. A stolen database or backup gives none of them away.
//
// A sealed secret is: format (1 byte), key id (4 bytes), nonce (12), ciphertext, tag (16). The key id tells which key
// sealed it, so that keys can be changed while old seals are still opened. Nonces are random: a key may seal 2^32 secrets
// before two of them meet with a chance worth speaking of.

import { createCipheriv, createDecipheriv, hkdfSync, scryptSync } from 'node:crypto';
import type { RandomBytes } from '#engine/base/random.ts';
import { givenKeys, SECRET_KEY_CHARS_MIN, type SecretKeys } from './secret-keys.ts';

const FORMAT = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES;

/**
 * SECRET_KEY may be a phrase that a person chose, which a thief of the database could guess at; scrypt makes each guess
 * cost 16 MiB and some 30 ms, once per start for us. One service has one key, so the salt need not be random.
 */
const SCRYPT_SALT = 'slipstream secret box 1';
const SCRYPT_COST = { N: 16_384, r: 8, p: 1 };

/** A sealed secret that cannot be opened: of another key, or altered. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

interface SealingKey {
  readonly id: Buffer;
  readonly key: Uint8Array;
}

export class SecretBox {
  readonly #keys: SecretKeys;
  readonly #randomBytes: RandomBytes;
  /** By their texts. A key that was taken away opens what this process has sealed under it until it ends. */
  readonly #derived = new Map<string, SealingKey>();

  /** `keys` are those of a file or of settings, or one text of at least SECRET_KEY_CHARS_MIN characters. */
  constructor(keys: SecretKeys | string, randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes;
    this.#keys = typeof keys === 'string' ? givenKeys([keys]) : keys;
    for (const text of this.#keys.texts()) this.#keyOf(text);
  }

  /** The ids of the keys there are now, that which seals first. */
  get keyIds(): readonly Buffer[] {
    return this.#keys.texts().map((text) => this.#keyOf(text).id);
  }

  /** Seals a text; the same text gives other bytes each time. */
  seal(text: string): Buffer {
    const { id, key } = this.#keyOf(this.#keys.texts()[0]);
    const head = Buffer.concat([Buffer.of(FORMAT), id]);
    const nonce = this.#randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(head);
    return Buffer.concat([head, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** The text that was sealed; throws SealBroken when the bytes were altered or sealed under another key. */
  open(bytes: Uint8Array): string {
    const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (sealed.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || sealed[0] !== FORMAT) {
      throw new SealBroken('This is not a sealed secret.');
    }
    const head = sealed.subarray(0, HEAD_BYTES);
    const textStart = HEAD_BYTES + NONCE_BYTES;
    const textEnd = sealed.length - TAG_BYTES;
    const nonce = sealed.subarray(HEAD_BYTES, textStart);
    const decipher = createDecipheriv('aes-256-gcm', this.#find(head.subarray(1)), nonce, { authTagLength: TAG_BYTES })
      .setAAD(head)
      .setAuthTag(sealed.subarray(textEnd));
    try {
      return decipher.update(sealed.subarray(textStart, textEnd), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new SealBroken('This sealed secret was altered.', { cause: error });
    }
  }

  /** Only a key that is not known makes it ask for the keys there are now: secrets are opened by the thousand. */
  #find(id: Buffer): Uint8Array {
    for (const { id: known, key } of this.#derived.values()) if (known.equals(id)) return key;
    for (const text of this.#keys.texts()) {
      const { id: known, key } = this.#keyOf(text);
      if (known.equals(id)) return key;
    }
    throw new SealBroken('This secret was sealed under another SECRET_KEY. Start with the one of that time.');
  }

  #keyOf(text: string): SealingKey {
    const derived = this.#derived.get(text);
    if (derived !== undefined) return derived;
    const made = sealingKey(text);
    this.#derived.set(text, made);
    return made;
  }
}

function sealingKey(text: string): SealingKey {
  if (text.length < SECRET_KEY_CHARS_MIN) {
    throw new RangeError(`SECRET_KEY: needs at least ${SECRET_KEY_CHARS_MIN} characters`);
  }
  const master = scryptSync(text, SCRYPT_SALT, 32, SCRYPT_COST);
  return {
    id: Buffer.from(hkdfSync('sha256', master, '', 'key id', KEY_ID_BYTES)),
    key: new Uint8Array(hkdfSync('sha256', master, '', 'seal', 32)),
  };
}
