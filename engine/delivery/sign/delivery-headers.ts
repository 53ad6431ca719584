// The headers of a delivery. The text that all deliveries of a run share is assembled once, for all its endpoints: all lines
// up to the first value that differs, and what stands between two of them. Each attempt joins a dozen texts.

import { createHash } from 'node:crypto';
import { assert } from '#engine/base/assert.ts';
import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import type { DeliveryMode } from '#engine/delivery/run-order.ts';
import type { Signer } from './signer.ts';

/** Printable ASCII only, so that no value can end its header line. */
const ONE_LINE = /^[\x20-\x7e]*$/;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** Every two digits, in order. */
const PAIRS = Array.from({ length: 1_024 }, (_, number) => DIGITS[number >> 5]! + DIGITS[number & 31]!);
const PREFIX_DIGITS = 19;
const SEQUENCE_DIGITS = 7;
const DELIVERY_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;

/** What a delivery belongs to: a run, a live session or a test. */
export interface DeliveryContext {
  readonly mode: DeliveryMode;
  readonly sessionId: string;
  /** The replay; null outside replays. Of a resend: the one whose updates go out again. */
  readonly run: { readonly runId: string; readonly speed: number } | null;
  /** The id of the run that sends again what an earlier one sent or should have sent; null for a first time. */
  readonly resend?: string | null;
  /** `X-Service` unless the operator has configured another. */
  readonly headerPrefix: string;
}

export class DeliveryHeaders {
  readonly #context: DeliveryContext;
  readonly #prefix: string;
  readonly #fixed: string;
  /** Up to the first signature, by feed. */
  readonly #starts = new Map<string, string>();
  readonly #beforeId: string;
  readonly #beforePrevious: string;
  /** From the delivery id to its repetition, by attempt. */
  readonly #attempts: readonly string[];

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
      ...(context.resend == null ? [] : [[`${prefix}-Resend`, context.resend] as const]),
    ];
    for (const [name, value] of lines) assert(ONE_LINE.test(value), `${name} fits into a header line`);
    this.#fixed = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.#prefix = prefix;
    this.#beforeId = `\r\n${prefix}-Delivery-Id: `;
    this.#beforePrevious = `\r\n${prefix}-Signature-Previous: `;
    this.#attempts = Array.from(
      { length: ATTEMPTS_MAX + 1 },
      (_, attempt) => `\r\n${prefix}-Attempt: ${attempt}\r\nwebhook-id: `,
    );
    this.#context = context;
  }

  /** The start of this endpoint's delivery ids: `evt_` and 19 digits, a hash of endpoint and run (live: session). */
  idPrefix(webhookId: string): string {
    const { mode, run, sessionId } = this.#context;
    return deliveryIdPrefix(mode, run?.runId ?? sessionId, webhookId);
  }

  /** Returns the header lines, each with its CR LF, as the transport takes them. `wallMs` is Unix time. */
  forAttempt(
    signer: Signer,
    idPrefix: string,
    feedId: string,
    sequence: number,
    attempt: number,
    body: Uint8Array,
    wallMs: number,
  ): string {
    const id = deliveryId(idPrefix, sequence);
    const timestamp = String(Math.floor(wallMs / 1000));
    const previous = signer.previousSignature(body, wallMs);
    return (
      this.#start(feedId) +
      signer.signature(body) +
      (previous === null ? this.#beforeId : this.#beforePrevious + previous + this.#beforeId) +
      id +
      this.#attempts[attempt]! +
      id +
      '\r\nwebhook-timestamp: ' +
      timestamp +
      '\r\nwebhook-signature: ' +
      signer.standardSignature(id, timestamp, body, wallMs) +
      '\r\n'
    );
  }

  #start(feedId: string): string {
    let start = this.#starts.get(feedId);
    if (start === undefined) {
      start = `${this.#fixed}${this.#prefix}-Feed: ${feedId}\r\n${this.#prefix}-Signature: `;
      this.#starts.set(feedId, start);
    }
    return start;
  }
}

/** Returns the start of the delivery ids of an endpoint. `scope` is the id of the replay; live, that of the session. */
export function deliveryIdPrefix(mode: DeliveryMode, scope: string, webhookId: string): string {
  const digest = createHash('sha256').update(`${mode}\n${scope}\n${webhookId}`).digest();
  let text = 'evt_';
  for (let i = 0; i < PREFIX_DIGITS; i++) text += DIGITS[digest[i]! & 31];
  return text;
}

/** Splits a delivery id into its prefix and its sequence. Null if it has not the form of one. */
export function parseDeliveryId(id: string): { readonly idPrefix: string; readonly sequence: number } | null {
  if (!DELIVERY_ID.test(id)) return null;
  const idPrefix = id.slice(0, -SEQUENCE_DIGITS);
  let sequence = 0;
  for (const digit of id.slice(-SEQUENCE_DIGITS)) sequence = sequence * 32 + DIGITS.indexOf(digit);
  return { idPrefix, sequence };
}

/** Returns the id that all attempts of one update to one endpoint share, even across a crash: it is computed. */
export function deliveryId(idPrefix: string, sequence: number): string {
  const high = DIGITS[sequence >>> 30]! + PAIRS[(sequence >>> 20) & 1_023];
  return idPrefix + (high + PAIRS[(sequence >>> 10) & 1_023] + PAIRS[sequence & 1_023]);
}
