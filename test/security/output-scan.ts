// Searches the output of services, commands and tests for secrets: by their form, and by their values, which tests list
// (test/support/output-folder.ts). A finding gives the place and the kind of a secret, never its value.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ISSUED_FILE } from '#test/support/output-folder.ts';

export interface Finding {
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
  readonly kind: string;
}

/** The form of 32 random bytes as we write them. Long names in paths do not match, because they have no capitals. */
const RANDOM = String.raw`(?<![\w+/=-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{43}(?![\w+/=-])`;

const FORMS: readonly (readonly [kind: string, form: RegExp])[] = [
  ['a signing secret', /whsec_[\w+/-]{12,}/],
  ['a token, cookie, link or client secret', new RegExp(RANDOM)],
  ['a key', /(?<![\w+/=-])(?=[\w+/]*[A-Z])(?=[\w+/]*[a-z])[A-Za-z0-9+/]{43}=(?!=)/],
  ['a bearer token', /\bbearer\s+[\w.~+/-]{16,}/i],
  ['Basic credentials', /\bbasic\s+[A-Za-z0-9+/]{16,}={0,2}/i],
  ['a session cookie', /\bsession=[\w-]{40,}/],
  ['a link token', /[?&]token=[\w%-]{16,}/],
  ['a password in a URL', /\b[a-z][a-z+]*:\/\/(?!USER:PASSWORD@)[^\s/:@"'<>]*:[^\s/@"'<>]+@/i],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['a key of the payment provider', /\b[sr]k_(?:live|test)_\w{8,}/],
  ['a password hash', /\$argon2(?:id|i|d)\$/],
];
/** Number of first characters by which values are looked up. */
const PREFIX_CHARS = 8;

/** All findings in the files of a folder and in named texts. The folder also holds the list of issued secrets. */
export function scanOutput(folder: string, texts: Readonly<Record<string, string>> = {}): Finding[] {
  const issued = new IssuedValues(readLines(join(folder, ISSUED_FILE)));
  const files = readdirSync(folder).filter((name) => name !== ISSUED_FILE);
  const sources = [
    ...files.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const),
    ...Object.entries(texts),
  ];
  return sources.flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((content, index) => kindsIn(content, issued).map((kind) => ({ file, line: index + 1, kind }))),
  );
}

function kindsIn(content: string, issued: IssuedValues): string[] {
  const kinds = FORMS.filter(([, form]) => form.test(content)).map(([kind]) => kind);
  return issued.isIn(content) ? [...kinds, 'a secret that was issued'] : kinds;
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Values in all their encodings, indexed by their first characters. */
class IssuedValues {
  readonly #byPrefix = new Map<string, string[]>();

  constructor(values: readonly string[]) {
    for (const value of new Set(values)) {
      if (value.length < PREFIX_CHARS) continue;
      for (const written of new Set(encodings(value))) {
        const prefix = written.slice(0, PREFIX_CHARS);
        this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), written]);
      }
    }
  }

  isIn(content: string): boolean {
    if (this.#byPrefix.size === 0) return false;
    for (let start = 0; start + PREFIX_CHARS <= content.length; start++) {
      const candidates = this.#byPrefix.get(content.slice(start, start + PREFIX_CHARS));
      if (candidates?.some((written) => content.startsWith(written, start))) return true;
    }
    return false;
  }
}

function encodings(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((before) => {
      const text = base64Within(bytes, before);
      return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  ];
}

/**
 * A value inside the base64 of a longer text, without its first and last digit. `before` bytes (modulo 3) precede it.
 */
function base64Within(bytes: Uint8Array, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  const whole = text.replace(/=+$/, '');
  return whole.slice(before === 0 ? 0 : before + 1, whole === text ? undefined : -1);
}
