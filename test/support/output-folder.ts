// Keeps the output of services and commands in tests, and the secrets that they were given or issued. At its end, the
// suite searches the output for the secrets (test/security/output-scan.ts). Outside of the suite nothing is kept.

import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Holds one secret per line. */
export const ISSUED_FILE = 'issued.txt';
const SECRET_SETTING = /(_TOKEN|_SECRET|_SECRET_KEY|SECRET_KEY\w*|_PASSWORD)$/;
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'access_token',
  'clientSecret',
  'webhookSecret',
  'token',
  'password',
]);

/** Returns a function that appends to a new file. */
export function outputFile(name: string): (text: string | Uint8Array) => void {
  const folder = process.env.TEST_OUTPUT_DIR;
  if (folder === undefined) return () => {};
  const file = join(folder, `${name}-${randomUUID()}.txt`);
  return (text) => appendFileSync(file, text);
}

/** Adds every secret among the fields of this value, at any depth. */
export function issuedIn(value: unknown): void {
  if (process.env.TEST_OUTPUT_DIR === undefined) return;
  JSON.stringify(value, (name, field: unknown) => {
    if (SECRET_FIELDS.has(name) && typeof field === 'string') issued(field);
    return field;
  });
}

export function issued(secret: string): void {
  const folder = process.env.TEST_OUTPUT_DIR;
  if (folder !== undefined) appendFileSync(join(folder, ISSUED_FILE), `${secret}\n`);
}

/** Adds the secrets among the settings of a service, including passwords in its URLs. */
export function issuedSettings(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (SECRET_SETTING.test(name)) issued(value);
    if (name.endsWith('_URL')) issued(decodeURIComponent(URL.parse(value)?.password ?? ''));
  }
}

/** Whether the command prints a secret on purpose: `account create` prints the client secret. */
export function printsSecret(args: readonly string[]): boolean {
  return args[0] === 'account' && args[1] === 'create';
}
