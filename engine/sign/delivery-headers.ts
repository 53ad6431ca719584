// The headers of a delivery. What is the same for every delivery of an endpoint in a run is put together once; an attempt
// adds its own values to a copy.

import { createHash } from 'node:crypto';
import type { DeliveryMode } from '#engine/record/record-store.ts';
import type { Signer } from './signer.ts';

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
  readonly #fixed: readonly string[];
  readonly #idPrefix: string;
  readonly #names: { readonly [Name in 'signature' | 'feed' | 'deliveryId' | 'attempt']: string };

  constructor(context: DeliveryContext) {
    const prefix = context.headerPrefix;
    this.#names = {
      signature: `${prefix}-Signature`,
      feed: `${prefix}-Feed`,
      deliveryId: `${prefix}-Delivery-Id`,
      attempt: `${prefix}-Attempt`,
    };
    const replay =
      context.run === null
        ? []
        : [
            `${prefix}-Replay-Session`,
            context.sessionId,
            `${prefix}-Replay-Run-Id`,
            context.run.runId,
            `${prefix}-Replay-Speed`,
            String(context.run.speed),
          ];
    this.#fixed = [
      'content-type',
      'application/json',
      'user-agent',
      'Slipstream/1',
      `${prefix}-Mode`,
      context.mode,
      ...replay,
    ];
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

  /** Names and values in turn, as the transport takes them. `wallMs` is Unix milliseconds. */
  forAttempt(
    signer: Signer,
    feedId: string,
    sequence: number,
    attempt: number,
    body: Uint8Array,
    wallMs: number,
  ): string[] {
    const names = this.#names;
    const id = this.deliveryId(sequence);
    const timestamp = String(Math.floor(wallMs / 1000));
    const headers = this.#fixed.slice();
    headers.push(
      names.feed,
      feedId,
      names.signature,
      signer.signature(body),
      names.deliveryId,
      id,
      names.attempt,
      String(attempt),
      'webhook-id',
      id,
      'webhook-timestamp',
      timestamp,
      'webhook-signature',
      signer.standardSignature(id, timestamp, body, wallMs),
    );
    return headers;
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
