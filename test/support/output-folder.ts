// Where the suite keeps what services and commands of its tests print, to look for secrets in it at its end
// (test/security/output-scan.ts), and which secrets they were given or gave out. Nothing is kept outside of the suite.

import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** One value a line. */
export const ISSUED_FILE = 'issued.txt';
const SECRET_SETTING = /(_TOKEN|_SECRET|_SECRET_KEY|SECRET_KEY\w*|_PASSWORD)$/;
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'access_token',
  'clientSecret',
  'webhookSecret',
  'token',
  'password',
]);

/** Writes on in a file of its own whenever it is called. */
export function outputFile(name: string): (text: string | Uint8Array) => void {
  const folder = process.env.TEST_OUTPUT_DIR;
  if (folder === undefined) return () => {};
  const file = join(folder, `${name}-${randomUUID()}.txt`);
  return (text) => appendFileSync(file, text);
}

/** Has every secret among the fields of this value looked for, however deep. */
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

/** Secrets among the settings of a service, passwords of its addresses included. */
export function issuedSettings(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (SECRET_SETTING.test(name)) issued(value);
    if (name.endsWith('_URL')) issued(decodeURIComponent(URL.parse(value)?.password ?? ''));
  }
}

/** `account create` prints the client secret on purpose; what it prints is nobody's log. */
export function printsSecret(args: readonly string[]): boolean {
  return args[0] === 'account' && args[1] === 'create';
}
