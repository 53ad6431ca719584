// The keys for secrets: the first one seals, and all of them open. They come from the settings, or are the lines of
// DATA_DIR/secret.key.
//
// The file is checked for changes whenever keys are needed, so a running service follows a rotation
// (workers/admin/secret-key-rotate.ts) without a restart. The file is only ever replaced as a whole.

import { readFileSync, statSync } from 'node:fs';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '#engine/base/log.ts';
import type { RandomBytes } from '#engine/base/random.ts';

export const SECRET_KEY_CHARS_MIN = 16;
const KEY_BYTES = 32;
const FILE_TOKEN_BYTES = 16;

/** Any texts of at least SECRET_KEY_CHARS_MIN characters. */
export type KeyTexts = readonly [current: string, ...previous: string[]];

export interface SecretKeys {
  /** Returns the same list until the keys change. */
  texts(): KeyTexts;
}

export function givenKeys(texts: KeyTexts): SecretKeys {
  return { texts: () => texts };
}

/** Returns the keys from the settings, or those in DATA_DIR/secret.key. Makes that file when there is none. */
export async function loadSecretKey(
  dataDir: string,
  configured: KeyTexts | null,
  randomBytes: RandomBytes,
  log: Log,
): Promise<SecretKeys> {
  if (configured !== null) return givenKeys(configured);
  const path = keyFileOf(dataDir);
  const present = await readKeys(path);
  if (present === null) await makeFirstKey(path, randomBytes, log);
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) log.warn({ path }, 'other users can read the secret key; run chmod 600 on this file');
  return new KeyFile(path, present ?? (await readKeys(path))!);
}

export function keyFileOf(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

export function newKeyText(randomBytes: RandomBytes): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** Replaces the keys in the file, atomically and durably: after a crash it holds either the old or the new ones. */
export async function replaceKeys(path: string, texts: KeyTexts, randomBytes: RandomBytes): Promise<void> {
  const { uid, gid } = await stat(path);
  await withNewFile(path, texts, { uid, gid }, randomBytes, async (made) => rename(made, path));
}

class KeyFile implements SecretKeys {
  readonly #path: string;
  #texts: KeyTexts;
  #version: string;

  constructor(path: string, texts: KeyTexts) {
    this.#path = path;
    this.#texts = texts;
    this.#version = '';
  }

  texts(): KeyTexts {
    try {
      const { ino, size, mtimeNs } = statSync(this.#path, { bigint: true });
      const version = `${ino} ${size} ${mtimeNs}`;
      if (version !== this.#version) {
        this.#texts = parsed(readFileSync(this.#path, 'utf8')) ?? this.#texts;
        this.#version = version;
      }
    } catch {
      // If the file becomes unreadable, the process continues with the keys that it has.
    }
    return this.#texts;
  }
}

async function makeFirstKey(path: string, randomBytes: RandomBytes, log: Log): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    // A link never replaces a key that another process has made meanwhile.
    await withNewFile(path, [newKeyText(randomBytes)], null, randomBytes, (made) => link(made, path));
    log.warn(
      { path },
      'SECRET_KEY is not set: a new key was made. Back it up: without it no secret in the database can be opened',
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Writes a synced file beside `path` that only its owner can read, and lets `put` move it into place. */
async function withNewFile(
  path: string,
  texts: KeyTexts,
  owner: { readonly uid: number; readonly gid: number } | null,
  randomBytes: RandomBytes,
  put: (made: string) => Promise<void>,
): Promise<void> {
  const made = `${path}.${randomBytes(FILE_TOKEN_BYTES).toString('hex')}`;
  const file = await open(made, 'wx', 0o600);
  try {
    await file.writeFile(`${texts.join('\n')}\n`);
    // If root runs this, the user of the service must still be able to read the file.
    if (owner !== null && process.geteuid!() === 0) await file.chown(owner.uid, owner.gid);
    await file.sync();
    await put(made);
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
  } finally {
    await file.close();
    await rm(made, { force: true });
  }
}

async function readKeys(path: string): Promise<KeyTexts | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const texts = parsed(text);
  if (texts === null) {
    throw new RangeError(
      `${path}: holds no key of at least ${SECRET_KEY_CHARS_MIN} characters. Restore it from a backup.`,
    );
  }
  return texts;
}

/** Returns null when a line is not a key. */
function parsed(text: string): KeyTexts | null {
  const [current = '', ...previous] = text.trim().split(/\s*\n\s*/);
  const valid = [current, ...previous].every((key) => key.length >= SECRET_KEY_CHARS_MIN);
  return valid ? [current, ...previous] : null;
}
