// Argon2id with the first parameters that OWASP recommends: 19 MiB, two passes, one lane. A hash takes about 20 ms of a
// core, and the thread that calls it does nothing else meanwhile.

import { hashSync, verifySync } from '@node-rs/argon2';
import type { PasswordHasher } from './password-hasher.ts';

/** Argon2id is the library's default variant. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash of no password. Verifying against it takes as long as against any other. */
const DUMMY_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

export class Argon2PasswordHasher implements PasswordHasher {
  async hash(password: string): Promise<string> {
    return hashSync(composed(password), COST);
  }

  async verify(hashes: readonly (string | null)[], password: string): Promise<readonly boolean[]> {
    return hashes.map((hash) => verifySync(hash ?? DUMMY_HASH, composed(password)) && hash !== null);
  }
}

/** Keyboards send é as one character or as e plus an accent. Both must give the same hash. */
function composed(password: string): string {
  return password.normalize('NFC');
}
