// The headers of a delivery. What is the same for every delivery of an endpoint in a run is put together once; an attempt
// adds its own lines.

import { createHash } from 'node:crypto';
import { assert } from '#engine/assert.ts';
import type { DeliveryMode } from '#engine/record/record-store.ts';
import type { Signer } from './signer.ts';

/** What no value may leave: printable ASCII, so that none ends its line. */
const ONE_LINE = /^[\x20-\x7e]*$/;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** What a delivery belongs to. */
export interface DeliveryContext {
  readonly mode: DeliveryMode;
  readonly webhookId: string;
  readonly sessionId: string;
  /** Null outside replays. */
  readonly run: { readonly runId: string; readonly speed: number } | null;
  /** `X-Service` unless the operator set another. */
  readonly headerPrefix: string;
}

export class DeliveryHeaders {
  readonly #fixed: string;
  readonly #idPrefix: string;
  readonly #prefix: string;

  constructor(context: DeliveryContext) {
    const prefix = context.headerPrefix;
    const lines: readonly (readonly [name: string, value: string])[] = [
      ['content-type', 'application/json'],
      ['user-agent', 'Slipstream/1'],
      [`${prefix}-Mode`, context.mode],
      ...(context.run === null
        ? []
        : ([
            [`${prefix}-Replay-Session`, context.sessionId],
            [`${prefix}-Replay-Run-Id`, context.run.runId],
            [`${prefix}-Replay-Speed`, String(context.run.speed)],
          ] as const)),
    ];
    for (const [name, value] of lines) assert(ONE_LINE.test(value), `${name} fits into a header line`);
    this.#fixed = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.#prefix = prefix;
    this.#idPrefix = `evt_${deliveryKey(context)}`;
  }

  /** The id that all attempts of one update to this endpoint share, also after a crash: it is made from what it names. */
  deliveryId(sequence: number): string {
    let text = '';
    let rest = sequence;
    for (let i = 0; i < 7; i++) {
      text = DIGITS[rest & 31] + text;
      rest >>>= 5;
    }
    return this.#idPrefix + text;
  }

  /** Header lines, each with its end, as the transport takes them. `wallMs` is Unix milliseconds. */
  forAttempt(
    signer: Signer,
    feedId: string,
    sequence: number,
    attempt: number,
    body: Uint8Array,
    wallMs: number,
  ): string {
    const prefix = this.#prefix;
    const id = this.deliveryId(sequence);
    const timestamp = String(Math.floor(wallMs / 1000));
    return (
      `${this.#fixed}${prefix}-Feed: ${feedId}\r\n${prefix}-Signature: ${signer.signature(body)}\r\n` +
      `${prefix}-Delivery-Id: ${id}\r\n${prefix}-Attempt: ${attempt}\r\n` +
      `webhook-id: ${id}\r\nwebhook-timestamp: ${timestamp}\r\n` +
      `webhook-signature: ${signer.standardSignature(id, timestamp, body, wallMs)}\r\n`
    );
  }
}

/** 19 digits from the run (or session) and the endpoint, so that ids differ between them and repeat for the same ones. */
function deliveryKey(context: DeliveryContext): string {
  const hash = createHash('sha256')
    .update(`${context.mode}\n${context.run?.runId ?? context.sessionId}\n${context.webhookId}`)
    .digest();
  let text = '';
  for (let i = 0; i < 19; i++) text += DIGITS[hash[i]! & 31];
  return text;
}
