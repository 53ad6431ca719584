// The file of certificates that the demo's service trusts beside those of the well-known authorities: that of the
// receivers, and those in the file that the user's own NODE_EXTRA_CA_CERTS names.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the file into the folder. Returns its path, and a warning if the user's file could not be read, else null.
 * Node goes on without such a file as well.
 */
export function writeTrustedCertificates(
  folder: string,
  receivers: string,
  userFile: string | undefined,
): { readonly path: string; readonly warning: string | null } {
  const path = join(folder, 'demo-receivers.pem');
  let users = '';
  let warning: string | null = null;
  if (userFile !== undefined && userFile !== '') {
    try {
      users = readFileSync(userFile, 'utf8');
    } catch (error) {
      warning = `the file that NODE_EXTRA_CA_CERTS names is left out: ${(error as Error).message}`;
    }
  }
  // A broken certificate in the user's file makes Node ignore what follows it.
  writeFileSync(path, `${receivers}${users}`);
  return { path, warning };
}
