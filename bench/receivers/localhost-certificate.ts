// The certificate of receivers over TLS: RSA-2048, for localhost, of the authority that the tests have. An engine that is to
// reach them starts with `NODE_EXTRA_CA_CERTS`.

import { fileURLToPath } from 'node:url';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/tls/${name}.pem`, import.meta.url));

/** As uWebSockets.js wants it. */
export const LOCALHOST_CERTIFICATE = { key_file_name: fixture('key'), cert_file_name: fixture('localhost') };

/** For the environment of a process that is to trust it. */
export const TRUSTING_IT = { NODE_EXTRA_CA_CERTS: fixture('authority') };
