// The certificate of receivers over TLS: a P-256 key, for localhost, signed by the authority of the tests. An engine that
// sends to them trusts it through `NODE_EXTRA_CA_CERTS`.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/tls/${name}.pem`, import.meta.url));

/** Options of an `SSLApp`. */
export const LOCALHOST_CERTIFICATE = { key_file_name: fixture('key'), cert_file_name: fixture('localhost') };

const AUTHORITY_FILE = fixture('authority');

/** Environment of a process that trusts it. */
export const TRUSTING_IT = { NODE_EXTRA_CA_CERTS: AUTHORITY_FILE };

/** The certificate of the authority, for a client that trusts no other. */
export const authorityCertificate = (): Buffer => readFileSync(AUTHORITY_FILE);
