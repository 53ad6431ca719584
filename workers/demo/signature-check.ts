// Verifies a delivery as a customer would: both signatures over the raw bytes, compared in constant time. Written from
// docs/receiving.md and the Standard Webhooks specification alone; shares no code with the service's own signing.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Refuses a delivery older or newer than this, as Standard Webhooks requires, so that nobody can send it again later.
 */
const TOLERANCE_S = 300;

/** Returns null when the delivery is genuine, else the problem. `wallMs` is Unix epoch milliseconds. */
export function signatureProblem(
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  secret: string,
  wallMs: number,
): string | null {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (!sameText(header(headers, 'x-service-signature'), expected)) return 'X-Service-Signature does not match';

  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  if (id === '' || !/^\d+$/.test(timestamp)) return 'webhook-id or webhook-timestamp is missing';
  if (Math.abs(wallMs / 1000 - Number(timestamp)) > TOLERANCE_S) return 'webhook-timestamp is too far from now';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  const offered = header(headers, 'webhook-signature').split(' ');
  return offered.some((one) => sameText(one, standard)) ? null : 'webhook-signature does not match';
}

function header(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
