// A task for a thread of low priority: hashes of passwords. Computing them takes the memory and a core for 20 ms each, so
// a flood of sign-ins would otherwise take a core from deliveries and requests.

import { constants, setPriority } from 'node:os';
import { Argon2PasswordHasher } from '#api/accounts/argon2-password-hasher.ts';

/** Without `passwordHash`: hash the password. With it: verify the password, as PasswordHasher does. */
export interface PasswordJob {
  readonly password: string;
  readonly passwordHash?: string | null;
}

// Linux gives each thread a priority of its own; elsewhere this would be that of the whole service.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

const hasher = new Argon2PasswordHasher();

export async function hashPassword({ password, passwordHash }: PasswordJob): Promise<string | boolean> {
  if (passwordHash === undefined) return await hasher.hash(password);
  const [right] = await hasher.verify([passwordHash], password);
  return right!;
}
