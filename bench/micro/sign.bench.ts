// The signatures and headers of an attempt, over bodies of the built-in race.

import { createHmac } from 'node:crypto';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { demoRace } from './demo-race.ts';
import { endpoint } from './endpoint.ts';
import type { Operation } from './operation.ts';

const BODIES = 128;
const WALL_MS = Date.UTC(2026, 5, 7, 13);
const TIMESTAMP = String(WALL_MS / 1_000);
const ID = 'evt_0123456789abcdefghjk000001';

export function prepare(): readonly Operation[] {
  const { timeline } = demoRace();
  const bodies = Array.from({ length: BODIES }, (_, index) => timeline.body(timeline.length - 1 - index));
  const { webhookId, secret } = endpoint();
  const previousSecret = { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}`, untilMs: WALL_MS + 1 };
  const signer = new Signer(secret, null);
  const rotated = new Signer(secret, previousSecret);
  const headers = new DeliveryHeaders({
    mode: 'replay',
    sessionId: timeline.info.sessionId,
    run: { runId: 'run_01k2bench000000000000000000', speed: 10 },
    headerPrefix: 'X-Service',
  });
  const idPrefix = headers.idPrefix(webhookId);
  const head = (body: Uint8Array): string => headers.forAttempt(signer, idPrefix, 'timing.data', 1, 1, body, WALL_MS);
  const signatureAt = head(bodies[0]!).indexOf('sha256=');
  const hex = (body: Uint8Array): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const standard = (body: Uint8Array, text: string): string => {
    const key = Buffer.from(text.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${ID}.${TIMESTAMP}.`).update(body).digest('base64')}`;
  };
  const both = (body: Uint8Array): string => `${standard(body, secret)} ${standard(body, previousSecret.secret)}`;
  return [
    operation('sign a body', bodies, (body) => signer.signature(body), hex),
    operation(
      'sign a body, Standard Webhooks',
      bodies,
      (body) => signer.standardSignature(ID, TIMESTAMP, body, WALL_MS),
      (body) => standard(body, secret),
    ),
    operation(
      'sign a body, Standard Webhooks after a rotation',
      bodies,
      (body) => rotated.standardSignature(ID, TIMESTAMP, body, WALL_MS),
      both,
    ),
    operation('headers of an attempt, signatures included', bodies, (body) => head(body).slice(signatureAt), hex),
  ];
}

/** `wanted` computes what `made` must return in an independent way. */
function operation(
  name: string,
  bodies: readonly Uint8Array[],
  made: (body: Uint8Array) => string,
  wanted: (body: Uint8Array) => string,
): Operation {
  const lap = (): number => {
    let sum = 0;
    for (const body of bodies) sum += fingerprint(made(body));
    return sum;
  };
  const answer = bodies.reduce((sum, body) => sum + fingerprint(wanted(body)), 0);
  return { name, times: bodies.length, answer, lap };
}

/** Two characters are enough to distinguish signatures, and reading them costs almost nothing. */
function fingerprint(signature: string): number {
  return signature.charCodeAt(8) * 256 + signature.charCodeAt(45);
}
