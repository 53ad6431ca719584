// Seals secrets at rest. The API shows signing and client secrets again to their owners, so they cannot be hashed. They
// are encrypted with AES-256-GCM under a key that is not in the database. A stolen database or backup does not reveal
// them.
//
// A sealed secret consists of: format (1 byte), key id (4 bytes), nonce (12), ciphertext, tag (16). The key id says
// which key sealed it, so keys can be replaced while old secrets can still be opened. Nonces are random: a key may seal
// 2^32 secrets before a collision becomes likely enough to matter.

import { createCipheriv, createDecipheriv, hkdfSync, scryptSync } from 'node:crypto';
import type { RandomBytes } from '#engine/base/random.ts';
import { givenKeys, SECRET_KEY_CHARS_MIN, type SecretKeys } from './secret-keys.ts';

const FORMAT = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES;

/**
 * SECRET_KEY may be a phrase chosen by a person, which a thief of the database could try to guess. With scrypt each
 * guess costs 16 MiB and about 30 ms; we pay that once per start. One service has one key, so the salt need not be
 * random.
 */
const SCRYPT_SALT = 'slipstream secret box 1';
const SCRYPT_COST = { N: 16_384, r: 8, p: 1 };

/** A sealed secret cannot be opened: it was sealed under another key, or altered. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

interface SealingKey {
  readonly id: Buffer;
  readonly key: Uint8Array;
  readonly peerKey: Uint8Array;
  readonly printKey: Uint8Array;
}

export class SecretBox {
  readonly #keys: SecretKeys;
  readonly #randomBytes: RandomBytes;
  /** Derived keys by their texts. A removed key still opens secrets in this process until it ends. */
  readonly #derived = new Map<string, SealingKey>();

  /** `keys` come from a file or from settings, or are one text of at least SECRET_KEY_CHARS_MIN characters. */
  constructor(keys: SecretKeys | string, randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes;
    this.#keys = typeof keys === 'string' ? givenKeys([keys]) : keys;
    for (const text of this.#keys.texts()) this.#keyOf(text);
  }

  /** The ids of the current keys. The first key seals. */
  get keyIds(): readonly Buffer[] {
    return this.#keys.texts().map((text) => this.#keyOf(text).id);
  }

  /** Keys between the nodes of a cluster, by key id in hexadecimal. The first one is to be used, all may be met. */
  get peerKeys(): ReadonlyMap<string, Uint8Array> {
    return new Map(
      this.#keys.texts().map((text) => {
        const { id, peerKey } = this.#keyOf(text);
        return [id.toString('hex'), peerKey];
      }),
    );
  }

  /**
   * A print of the key that seals, for this subject. Who has the key can make it again; nobody else can tell from it what the
   * key is, or whether the print of another subject is of the same one.
   */
  print(subject: string): Buffer {
    return printOf(this.#keyOf(this.#keys.texts()[0]), subject);
  }

  /** Whose print it is: that of the key that seals, that of another key of this box, or that of none. */
  keyOfPrint(subject: string, print: Uint8Array): 'sealing' | 'known' | 'other' {
    const place = this.#keys.texts().findIndex((text) => printOf(this.#keyOf(text), subject).equals(print));
    return place === 0 ? 'sealing' : place === -1 ? 'other' : 'known';
  }

  /** Seals a text. The same text gives different bytes each time. */
  seal(text: string): Buffer {
    const { id, key } = this.#keyOf(this.#keys.texts()[0]);
    const head = Buffer.concat([Buffer.of(FORMAT), id]);
    const nonce = this.#randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(head);
    return Buffer.concat([head, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** Returns the sealed text. Throws SealBroken when the bytes were altered or sealed under another key. */
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

  /** Reads the current keys only for an unknown key id, because secrets are opened by the thousand. */
  #find(id: Buffer): Uint8Array {
    for (const { id: known, key } of this.#derived.values()) if (known.equals(id)) return key;
    for (const text of this.#keys.texts()) {
      const { id: known, key } = this.#keyOf(text);
      if (known.equals(id)) return key;
    }
    throw new SealBroken('This secret was sealed under another SECRET_KEY. Start with the key of that time.');
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
    peerKey: new Uint8Array(hkdfSync('sha256', master, '', 'between nodes', 32)),
    printKey: new Uint8Array(hkdfSync('sha256', master, '', 'prints', 32)),
  };
}

function printOf({ printKey }: SealingKey, subject: string): Buffer {
  return Buffer.from(hkdfSync('sha256', printKey, '', subject, 32));
}
