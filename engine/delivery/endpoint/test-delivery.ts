// A test: one attempt of a sample payload, requested with `POST /webhooks/:webhookId/test`, mode `test`. It is signed,
// sent, recorded, counted and taken from the monthly allowance like any other attempt, but never retried. One that is
// refused before anything is sent, because no allowance is left or the URL leads where no test may go, is no attempt: it
// is neither recorded nor counted, and only the operator's metrics show it.

import { assert } from '#engine/base/assert.ts';
import { type AttemptResult, isDelivered, TIMED_OUT } from '#engine/delivery/attempt-result.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import type { Connections } from '#engine/delivery/transport/transport.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import type { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { type AttemptHost, startAttempt } from './attempt.ts';
import { Delivery, type DeliveryOwner } from './delivery.ts';
import { EndpointState } from './endpoint-state.ts';

export interface TestOrder {
  /** Unique within this process. */
  readonly testId: number;
  readonly settings: EndpointSettings;
  readonly feedId: string;
  readonly body: Uint8Array;
  /** The account's cell (usage/allowance.ts). */
  readonly allowance: SharedArrayBuffer;
}

export type TestOutcome =
  | { readonly kind: 'attempted'; readonly result: AttemptResult; readonly latencyMs: number }
  /** The month's allowance is used up. Nothing was sent. */
  | { readonly kind: 'skipped' }
  /** No shard could complete it. The sample may or may not have been sent. */
  | { readonly kind: 'unavailable' };

/** What a shard offers to a test. */
export interface TestHost extends AttemptHost {
  readonly headerPrefix: string;
  /** Takes one of the shard's slots for a test of this account; false if it has none, or the record buffer is full. */
  acquireForTest(accountId: string): boolean;
  releaseForTest(accountId: string): void;
  /** The test is over. Its outcome is reported once its attempt is recorded. */
  testEnded(order: TestOrder, outcome: TestOutcome): void;
  reportProblem(what: string, error: Error): void;
}

/** A sample is no update of a timeline, so it has no sequence. */
export const TEST_SEQUENCE = 0;

/** A test belongs to no session. The time at which it was sent (Unix epoch milliseconds) makes its delivery id unique. */
export function testSessionId(wallMs: number): string {
  return `test ${wallMs}`;
}

export class TestDelivery implements DeliveryOwner {
  readonly #host: TestHost;
  readonly #order: TestOrder;
  readonly #feed: number;
  #connections: Connections | null = null;
  #holdsSlot = false;

  constructor(host: TestHost, order: TestOrder) {
    this.#host = host;
    this.#order = order;
    this.#feed = feedNumber(order.feedId) ?? 0;
  }

  start(): void {
    const host = this.#host;
    const order = this.#order;
    const { settings, feedId, body } = order;
    const { wallMs } = host;
    const allowance = new Allowance(order.allowance);
    if (!host.acquireForTest(settings.accountId)) {
      host.testEnded(order, { kind: 'unavailable' });
      return;
    }
    this.#holdsSlot = true;
    if (!allowance.take(wallMs)) {
      this.#release();
      host.testEnded(order, { kind: 'skipped' });
      return;
    }
    try {
      this.#send(settings, feedId, body, wallMs);
    } catch (error) {
      allowance.giveBack(wallMs);
      this.failed(error as Error);
    }
  }

  attemptEnded(delivery: Delivery, result: AttemptResult): void {
    const { state } = delivery;
    assert(state.kind === 'sending', 'I3: only an attempt under way has a result');
    const { nowMs, recorder, wheel, meter } = this.#host;
    const latencyMs = nowMs - state.startedAtMs;
    const delivered = isDelivered(result);
    wheel.cancel(delivery.timer);
    delivery.attempted();
    delivery.settled();
    this.#release();
    if (delivered) meter.deliveries.test.attemptSucceeded(latencyMs, latencyMs);
    else meter.deliveries.test.attemptFailed(result, latencyMs);
    if (result.kind === 'failed' && result.code === 'not_allowed') {
      new Allowance(this.#order.allowance).giveBack(state.createdAtMs);
      this.#host.testEnded(this.#order, { kind: 'attempted', result, latencyMs });
      return;
    }
    const record = {
      webhookNo: this.#order.settings.webhookNo,
      runNo: null,
      mode: 'test' as const,
      feed: this.#feed,
      sequence: TEST_SEQUENCE,
      attempt: delivery.attemptsMade,
      result,
      latencyMs,
      lagMs: null,
      createdAtMs: state.createdAtMs,
    };
    this.#count((ledger) => recorder.attempt(null, ledger, record, delivered ? latencyMs : null));
    this.#host.testEnded(this.#order, { kind: 'attempted', result, latencyMs });
  }

  /** Only the deadline ends here: a test has no retry delay. */
  timeUp(delivery: Delivery): void {
    const { state } = delivery;
    assert(state.kind === 'sending', 'a test waits for nothing but its response');
    state.exchange.abandon();
    this.attemptEnded(delivery, TIMED_OUT);
  }

  failed(error: Error): void {
    this.#release();
    this.#host.reportProblem(`a test of ${this.#order.settings.webhookId} failed`, error);
    this.#host.testEnded(this.#order, { kind: 'unavailable' });
  }

  #send(settings: EndpointSettings, feedId: string, body: Uint8Array, wallMs: number): void {
    const host = this.#host;
    const endpoint = new EndpointState(settings);
    const headers = new DeliveryHeaders({
      mode: 'test',
      sessionId: testSessionId(wallMs),
      run: null,
      headerPrefix: host.headerPrefix,
    });
    this.#connections = host.transport.connect(
      settings.webhookId,
      endpoint.destination.origin,
      // As a replay: a developer tries both with a receiver on the same machine. Where others register endpoints, no
      // delivery goes there (egress-guard.ts).
      true,
      settings.accountId,
    );
    startAttempt(
      host,
      new Delivery(host, this, TEST_SEQUENCE, 0),
      'first',
      this.#connections,
      endpoint,
      headers,
      headers.idPrefix(settings.webhookId),
      feedId,
      TEST_SEQUENCE,
      body,
      host.clock.nowMs(),
      wallMs,
    );
  }

  #release(): void {
    this.#connections?.close();
    this.#connections = null;
    if (this.#holdsSlot) this.#host.releaseForTest(this.#order.settings.accountId);
    this.#holdsSlot = false;
  }

  #count(count: (ledger: UsageLedger) => void): void {
    const { recorder } = this.#host;
    const ledger = recorder.openLedger(this.#order.settings.accountId);
    count(ledger);
    recorder.closeLedger(ledger);
  }
}
