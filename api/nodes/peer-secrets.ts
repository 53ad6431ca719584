// How nodes know each other: by TLS with a key that both derive from SECRET_KEY. Nobody without the key can connect.
// Somebody who listens in can neither read a request nor send it again.

import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';

/** The key exchange makes a new key for each connection, so what was recorded stays closed if SECRET_KEY becomes known. */
export const PEER_TLS = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  // Keys of this kind are a matter of TLS 1.2 in the platform's library.
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;

/** The key that another node says it uses; null: it has another SECRET_KEY. */
export function metKey(secretBox: SecretBox, keyId: string): Uint8Array | null {
  return secretBox.peerKeys.get(keyId) ?? null;
}

/** The key to use. */
export function ownKey(secretBox: SecretBox): { readonly identity: string; readonly psk: Uint8Array } {
  const [first] = secretBox.peerKeys;
  const [identity, psk] = first!;
  return { identity, psk };
}
