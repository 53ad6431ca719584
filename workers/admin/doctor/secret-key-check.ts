// Checks the key that seals secrets: it exists, other users cannot read it, and it opens the secrets in the database.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { systemRandomBytes } from '#engine/base/random.ts';
import { appliedMigrations, readMigrations } from '#engine/storage/migrations.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { requireKeys, secretsUnderOtherKeys } from '#engine/storage/secrets/postgres-sealed-secrets.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { keyFileOf, loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import type { Config } from '#workers/config.ts';
import { type Found, ok, problem, warning } from './finding.ts';

const RESTORE = 'Restore DATA_DIR/secret.key from its copy, or set SECRET_KEY to the key of that time.';

/** `sql`: null while there is no database yet. */
export async function checkSecretKey({ dataDir, secretKey }: Config, sql: Sql | null): Promise<readonly Found[]> {
  const path = keyFileOf(dataDir);
  const applied = sql === null ? [] : await appliedMigrations(sql);
  if (secretKey === null && !existsSync(path)) {
    const [row] = applied.length === 0 ? [] : await sql!`select from account limit 1`;
    if (row === undefined) return [ok(`the first start makes it in ${path}`)];
    return [problem(`${path} is missing, and the database holds secrets sealed with it`, RESTORE)];
  }
  const found: Found[] = [];
  if (secretKey === null) {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) found.push(problem(`others may read ${path}`, `chmod 600 ${path}`));
  }
  try {
    const box = new SecretBox(
      await loadSecretKey(dataDir, secretKey, systemRandomBytes, { info() {}, warn() {}, error() {} }),
      systemRandomBytes,
    );
    if (applied.length === (await readMigrations()).length) await requireKeys(sql!, box);
    else if (applied.length > 0 && (await secretsUnderOtherKeys(sql!, box)) > 0) {
      return [...found, problem('the key does not open the secrets in the database', RESTORE)];
    }
  } catch (error) {
    return [...found, problem(errorText(error), RESTORE)];
  }
  const where = secretKey === null ? path : 'SECRET_KEY';
  if (applied.length === 0) found.push(ok(`there is a key (${where}); the database holds no secrets yet`));
  else found.push(ok(`the key opens the secrets in the database (${where})`));
  if (secretKey !== null && existsSync(path)) {
    found.push(
      warning(
        `${path} exists as well, but SECRET_KEY is used`,
        'Remove the file once no secret is sealed under its key.',
      ),
    );
  }
  return found;
}
