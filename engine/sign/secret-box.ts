// Secrets at rest. Signing and client secrets must be shown again (interface.md), so they cannot be hashed; they are sealed
// with AES-256-GCM under a key that is not in the database. A stolen database or backup gives none of them away.
//
// A sealed secret is: format (1 byte), key id (4 bytes), nonce (12), ciphertext, tag (16). The key id tells which key
// sealed it, so that keys can be changed later while old seals are still opened.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID, scryptSync } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#engine/log.ts';

const FORMAT = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES;
export const SECRET_KEY_CHARS_MIN = 16;

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

export class SecretBox {
  readonly #key: Uint8Array;
  readonly #keyId: Buffer;

  /** `secretKey` is any text of at least SECRET_KEY_CHARS_MIN characters. */
  constructor(secretKey: string) {
    if (secretKey.length < SECRET_KEY_CHARS_MIN) {
      throw new RangeError(`SECRET_KEY: needs at least ${SECRET_KEY_CHARS_MIN} characters`);
    }
    const master = scryptSync(secretKey, SCRYPT_SALT, 32, SCRYPT_COST);
    this.#key = new Uint8Array(hkdfSync('sha256', master, '', 'seal', 32));
    this.#keyId = Buffer.from(hkdfSync('sha256', master, '', 'key id', KEY_ID_BYTES));
  }

  /** Seals a text; the same text gives other bytes each time. */
  seal(text: string): Buffer {
    const head = Buffer.concat([Buffer.of(FORMAT), this.#keyId]);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES }).setAAD(head);
    return Buffer.concat([head, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** The text that was sealed; throws SealBroken when the bytes were altered or sealed under another key. */
  open(bytes: Uint8Array): string {
    const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (sealed.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || sealed[0] !== FORMAT) {
      throw new SealBroken('This is not a sealed secret.');
    }
    const head = sealed.subarray(0, HEAD_BYTES);
    if (!head.subarray(1).equals(this.#keyId)) {
      throw new SealBroken('This secret was sealed under another SECRET_KEY. Start with the one of that time.');
    }
    const textStart = HEAD_BYTES + NONCE_BYTES;
    const textEnd = sealed.length - TAG_BYTES;
    const nonce = sealed.subarray(HEAD_BYTES, textStart);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(head)
      .setAuthTag(sealed.subarray(textEnd));
    try {
      return decipher.update(sealed.subarray(textStart, textEnd), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new SealBroken('This sealed secret was altered.', { cause: error });
    }
  }
}

/** The configured key, or the one of DATA_DIR/secret.key, which is made when there is none. */
export async function loadSecretKey(dataDir: string, configured: string | null, log: Log): Promise<string> {
  if (configured !== null) return configured;
  const path = join(dataDir, 'secret.key');
  const present = await readKey(path, log);
  if (present !== null) return present;
  await mkdir(dataDir, { recursive: true });
  const made = join(dataDir, `secret.key.${randomUUID()}`);
  const file = await open(made, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await file.sync();
    // A link is complete at once and never replaces a key that another process has made in the meantime.
    await link(made, path);
    const folder = await open(dataDir, 'r');
    await folder.sync().finally(() => folder.close());
    log.warn(
      { path },
      'SECRET_KEY is not set: a key was made. Back it up with the database: without it no secret opens',
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await file.close();
    await rm(made, { force: true });
  }
  return (await readKey(path, log))!;
}

async function readKey(path: string, log: Log): Promise<string | null> {
  let key: string;
  try {
    key = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  if (key.length < SECRET_KEY_CHARS_MIN) {
    throw new RangeError(
      `${path}: holds no key of at least ${SECRET_KEY_CHARS_MIN} characters. Restore it from a backup.`,
    );
  }
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) log.warn({ path }, 'the secret key can be read by other users: chmod 600');
  return key;
}
