// Deliveries as the engine signs them, and what they become in other hands.

import { randomBytes } from 'node:crypto';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { headerLines } from './header-lines.ts';
import { issued } from './output-folder.ts';

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const BODY = Buffer.from('{"feed":"timing.data","seriesId":"f1","sessionId":"demo-race","sequence":12,"drivers":[]}');

/** Deliveries that a holder of this secret must accept, with the sequences 12, 13 and so on. */
export function genuineDeliveries(secret: string): Readonly<Record<string, Delivery>> {
  const untilMs = Date.now() + 60_000;
  const other = newSecret();
  return {
    'signed with the secret': signed(12, new Signer(secret, null)),
    'after a rotation, for who has the new secret': signed(13, new Signer(secret, { secret: other, untilMs })),
    'after a rotation, for who has the old secret': signed(14, new Signer(other, { secret, untilMs })),
    'four minutes old': signed(15, new Signer(secret, null), Date.now() - 4 * 60_000),
    'with text that is not ASCII': signed(16, new Signer(secret, null), Date.now(), 'Müller 🏁'),
  };
}

export function forgedDeliveries(secret: string): Readonly<Record<string, Delivery>> {
  const signer = new Signer(secret, null);
  const genuine = signed(17, signer);
  const other = signed(17, new Signer(newSecret(), { secret: newSecret(), untilMs: Date.now() + 60_000 }));
  const old = signed(17, signer, Date.now() - 10 * 60_000);
  const changed = (name: string, value: string, of = genuine) => ({ ...of, headers: { ...of.headers, [name]: value } });
  const without = (name: string) => ({
    ...genuine,
    headers: Object.fromEntries(Object.entries(genuine.headers).filter(([one]) => one !== name)),
  });
  return {
    'an altered body': { ...genuine, body: Buffer.from(genuine.body.toString().replace('demo-race', 'demo-rice')) },
    'a longer body': { ...genuine, body: Buffer.concat([genuine.body, Buffer.from('\n')]) },
    'wrong secrets': other,
    'an old timestamp': old,
    'a timestamp to come': signed(17, signer, Date.now() + 10 * 60_000),
    'an old delivery with a new time': changed('webhook-timestamp', genuine.headers['webhook-timestamp']!, old),
    'a timestamp that is no number': changed('webhook-timestamp', 'now'),
    'no timestamp': without('webhook-timestamp'),
    'a wrong first signature': changed('X-Service-Signature', other.headers['X-Service-Signature']!),
    'a first signature without its name': changed(
      'X-Service-Signature',
      genuine.headers['X-Service-Signature']!.replace('sha256=', ''),
    ),
    'no first signature': without('X-Service-Signature'),
    'a wrong second signature': changed('webhook-signature', other.headers['webhook-signature']!),
    'no second signature': without('webhook-signature'),
    'the start of the second signature': changed('webhook-signature', 'v1,'),
    'another id': changed('webhook-id', 'evt_00000000000000000000000000'),
    'no headers at all': { headers: {}, body: BODY },
  };
}

export function newSecret(): string {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  issued(secret);
  return secret;
}

/** Returns a delivery as the engine builds it. */
export function signed(sequence: number, signer: Signer, atMs = Date.now(), name?: string): Delivery {
  const update = { ...JSON.parse(BODY.toString()), sequence, ...(name === undefined ? {} : { name }) };
  const body = Buffer.from(JSON.stringify(update));
  const headers = new DeliveryHeaders({
    mode: 'replay',
    sessionId: 'demo-race',
    run: { runId: 'run_1', speed: 10 },
    headerPrefix: 'X-Service',
  });
  const lines = headers.forAttempt(signer, headers.idPrefix('wh_1'), 'timing.data', sequence, 1, body, atMs);
  return { headers: Object.fromEntries(headerLines(lines)), body };
}
