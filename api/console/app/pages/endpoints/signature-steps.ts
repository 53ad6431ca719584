// Both signatures of a delivery, made again step by step from the secret, as a receiver does it (docs/receiving.md).
// WebCrypto does it, which browsers offer to pages of https and of this machine only.

export interface SignedRequest {
  /** By name; null where the service cannot say what was sent. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** The body as it was sent. */
  readonly body: string;
}

/** One signature, from what is signed to whether the request has it. */
export interface SignatureCheck {
  readonly scheme: 'service' | 'standard';
  /** The header that has it. */
  readonly header: string;
  /** Bytes of the key: the secret's whole text, or what it encodes. */
  readonly keyBytes: number;
  /** What stands before the body in what is signed. */
  readonly before: string;
  readonly bodyBytes: number;
  /** As the header shall have it. */
  readonly computed: string;
  /** What the header has, in its parts; empty if it is not known. */
  readonly sent: readonly string[];
  readonly matches: boolean;
}

const SECRET_PREFIX = 'whsec_';

/** Whether the browser lets this page compute signatures. */
export const canSign = (): boolean => globalThis.crypto?.subtle !== undefined;

export async function checkSignatures(
  { headers, body }: SignedRequest,
  secret: string,
): Promise<readonly SignatureCheck[]> {
  const bytes = new TextEncoder().encode(body);
  const text = new TextEncoder().encode(secret);
  const decoded = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (char) => char.charCodeAt(0));
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const own = Object.keys(headers).find((name) => /^(?!webhook-).*-signature$/i.test(name)) ?? 'X-Service-Signature';
  const previous = byName.get(`${own.toLowerCase()}-previous`) ?? null;

  const simple = `sha256=${hex(await hmac(text, bytes))}`;
  const simpleSent = [byName.get(own.toLowerCase()) ?? null, previous].filter((value) => value !== null);

  const before = `${byName.get('webhook-id') ?? ''}.${byName.get('webhook-timestamp') ?? ''}.`;
  const standard = `v1,${base64(await hmac(decoded, joined(new TextEncoder().encode(before), bytes)))}`;
  const standardSent = byName.get('webhook-signature')?.split(' ') ?? [];

  const bodyBytes = bytes.length;
  return [
    {
      scheme: 'service',
      header: own,
      keyBytes: text.length,
      before: '',
      bodyBytes,
      computed: simple,
      sent: simpleSent,
      matches: simpleSent.includes(simple),
    },
    {
      scheme: 'standard',
      header: 'webhook-signature',
      keyBytes: decoded.length,
      before,
      bodyBytes,
      computed: standard,
      sent: standardSent,
      matches: standardSent.includes(standard),
    },
  ];
}

async function hmac(key: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
