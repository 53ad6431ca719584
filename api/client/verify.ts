// Tells genuine deliveries from others: both signatures of a request, made with a secret of the endpoint, over the bytes
// that came, not too long ago.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { DELIVERY_AGE_S_MAX } from './bounds.ts';
import type { WebhookPayload } from './payloads.ts';
import { SlipstreamError } from './slipstream-error.ts';

/** Those of node:http, of fetch, or any others by name. */
export type DeliveryHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /** How old, or how much ahead of this machine's clock, a delivery may be. Default: 300. */
  readonly toleranceS?: number;
  /** What the names of the service's own headers begin with, if its operator has changed that. Default: `X-Service`. */
  readonly headerPrefix?: string;
}

/** A delivery that is genuine. */
export interface Delivery {
  /** The same for every attempt of one update to one endpoint in one run: by it repetitions are recognised. */
  readonly deliveryId: string;
  /** From 1. */
  readonly attempt: number;
  readonly mode: 'live' | 'replay' | 'test';
  /** The id of the replay; null for a live delivery or a test. */
  readonly runId: string | null;
  /** `payload.feed` says which payload it is. */
  readonly payload: WebhookPayload;
}

/**
 * Returns the delivery. `body` is the body as it came, before any parsing. `secrets` is the `webhookSecret` of the
 * endpoint, or a few of them, such as the old one and the new one during a rotation.
 *
 * Throws a SlipstreamError for any other request: `wrong_signature`, `wrong_time` if the signature may be right but the
 * time is not, or `invalid_delivery` if a header is missing or the body is not JSON. Answer those with 401.
 */
export function verify(
  headers: DeliveryHeaders,
  body: Uint8Array | string,
  secrets: string | readonly string[],
  { toleranceS = DELIVERY_AGE_S_MAX, headerPrefix = 'X-Service' }: VerifyOptions = {},
): Delivery {
  const keys = keysOf(secrets);
  const header = reader(headers);
  const deliveryId = required(header, 'webhook-id');
  const timestamp = required(header, 'webhook-timestamp');
  const standards = required(header, 'webhook-signature').split(' ');
  const previous = header(`${headerPrefix}-Signature-Previous`);
  const simples = [required(header, `${headerPrefix}-Signature`), ...(previous === null ? [] : [previous])];

  const ageS = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || !(ageS <= toleranceS)) {
    throw refused('wrong_time', `webhook-timestamp is more than ${toleranceS} s away from the clock of this machine`);
  }
  const isGenuine = keys.some(({ text, bytes }) => {
    const simple = `sha256=${createHmac('sha256', text).update(body).digest('hex')}`;
    const signed = createHmac('sha256', bytes).update(`${deliveryId}.${timestamp}.`).update(body);
    const standard = `v1,${signed.digest('base64')}`;
    return contains(simples, simple) && contains(standards, standard);
  });
  if (!isGenuine) throw refused('wrong_signature', 'no secret has made both signatures over this body');

  const attempt = header(`${headerPrefix}-Attempt`) ?? '';
  const mode = header(`${headerPrefix}-Mode`);
  if (mode !== 'live' && mode !== 'replay' && mode !== 'test') throw invalid(`${headerPrefix}-Mode is missing`);
  if (!/^\d{1,3}$/.test(attempt)) throw invalid(`${headerPrefix}-Attempt is missing`);
  return {
    deliveryId,
    attempt: Number(attempt),
    mode,
    runId: header(`${headerPrefix}-Replay-Run-Id`),
    payload: payloadOf(body),
  };
}

interface Key {
  /** The whole secret: the key of the service's own signature. */
  readonly text: string;
  /** What it encodes: the key of the Standard Webhooks signature. */
  readonly bytes: Uint8Array;
}

/** An empty secret would accept what anyone can sign, so it is a mistake of the program. */
function keysOf(secrets: string | readonly string[]): readonly Key[] {
  const texts = typeof secrets === 'string' ? [secrets] : secrets;
  if (texts.length === 0) throw new TypeError('verify needs the webhookSecret of the endpoint');
  return texts.map((text) => {
    const [, encoded] = /^whsec_([A-Za-z0-9+/]{16,}={0,2})$/.exec(text) ?? [];
    if (encoded === undefined) throw new TypeError('a webhookSecret is whsec_ followed by base64');
    return { text, bytes: Buffer.from(encoded, 'base64') };
  });
}

function reader(headers: DeliveryHeaders): (name: string) => string | null {
  if (typeof headers.get === 'function') return (name) => (headers as Headers).get(name);
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = byName.get(name.toLowerCase());
    return value === undefined ? null : String(value);
  };
}

function required(header: (name: string) => string | null, name: string): string {
  const value = header(name);
  if (value === null) throw invalid(`${name} is missing`);
  return value;
}

/** In constant time for texts of the same length. Lengths are no secret. */
function contains(given: readonly string[], expected: string): boolean {
  const bytes = Buffer.from(expected);
  return given.some((text) => {
    const other = Buffer.from(text);
    return other.length === bytes.length && timingSafeEqual(other, bytes);
  });
}

function payloadOf(body: Uint8Array | string): WebhookPayload {
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString());
  } catch {
    throw invalid('the body is not JSON');
  }
}

function invalid(message: string): SlipstreamError {
  return refused('invalid_delivery', message);
}

function refused(code: string, message: string): SlipstreamError {
  return new SlipstreamError({ status: null, code, message });
}
