// The key of this machine, for checks that compare it.

import { existsSync } from 'node:fs';
import { systemRandomBytes } from '#engine/base/random.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { keyFileOf, loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import type { Config } from '#workers/config.ts';

/** Null if there is none that can be read. Makes none. */
export async function ownSecretBox({ dataDir, secretKey }: Pick<Config, 'dataDir' | 'secretKey'>) {
  if (secretKey === null && !existsSync(keyFileOf(dataDir))) return null;
  const silent = { info() {}, warn() {}, error() {} };
  return loadSecretKey(dataDir, secretKey, systemRandomBytes, silent).then(
    (keys) => new SecretBox(keys, systemRandomBytes),
    () => null,
  );
}
