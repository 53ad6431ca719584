// A single attempt on request: the sample that `POST /webhooks/:webhookId/test` sends, mode `test`. It is signed, recorded,
// counted and taken from the monthly allowance like any other, and not retried.

import type { Clock } from '#engine/clock.ts';
import type { TestOutcome } from '#engine/cluster/delivery-control.ts';
import type { EndpointSettings } from '#engine/endpoint/endpoint.ts';
import { destinationOf } from '#engine/endpoint/endpoint-state.ts';
import { DEADLINE_MS } from '#engine/limits.ts';
import type { DeliveryMeter } from '#engine/meter/delivery-meter.ts';
import type { LatencyDelta, RecordBatch, RecordStore, UsageDelta, Writer } from '#engine/record/record-store.ts';
import { DeliveryHeaders } from '#engine/sign/delivery-headers.ts';
import { Signer } from '#engine/sign/signer.ts';
import { Allowance } from '#engine/usage/allowance.ts';
import { monthOf } from '#engine/usage/month.ts';
import { UsageLedger } from '#engine/usage/usage-ledger.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import type { Transport } from './transport.ts';

export interface TestDeliveryParts {
  readonly transport: Transport;
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly meter: DeliveryMeter;
  /** The store has admitted it. */
  readonly writer: Writer;
  readonly headerPrefix: string;
  /** Calls back after `delayMs` unless the returned function is called before. */
  readonly schedule: (delayMs: number, callback: () => void) => () => void;
}

interface Answer {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly body: string | null;
}

/** Sends test deliveries one by one; recorded before the outcome is told. */
export function createTestDelivery(parts: TestDeliveryParts) {
  const { clock, store, transport } = parts;
  let batchNo = 0;
  let written: Promise<void> = Promise.resolve();

  function attempt(settings: EndpointSettings, feedId: string, body: Uint8Array, wallMs: number): Promise<Answer> {
    const destination = destinationOf(settings);
    const headers = new DeliveryHeaders({
      mode: 'test',
      // A test belongs to no session; the moment makes its delivery id its own.
      sessionId: `test ${wallMs}`,
      run: null,
      headerPrefix: parts.headerPrefix,
    });
    const signer = new Signer(settings.secret, settings.previousSecret);
    const lines = headers.forAttempt(signer, headers.idPrefix(settings.webhookId), feedId, 0, 1, body, wallMs);
    const connections = transport.connect(destination.origin, false);
    return new Promise<Answer>((resolve) => {
      const exchange = connections.send(destination, lines, body, {
        answered(statusCode, error, answer) {
          cancelDeadline();
          connections.close();
          resolve({ statusCode, error, body: answer });
        },
      });
      const cancelDeadline = parts.schedule(DEADLINE_MS, () => {
        exchange.abandon();
        connections.close();
        resolve({ statusCode: null, error: 'timeout', body: null });
      });
    });
  }

  /** One batch after the other: a writer's numbers arrive in order. */
  function commit(batch: Pick<RecordBatch, 'attempts' | 'usage' | 'latency'>): Promise<void> {
    written = written
      .catch(() => {})
      .then(() => {
        batchNo++;
        return store.commit({ writer: parts.writer, batchNo, ...batch, checkpoints: [] });
      });
    return written;
  }

  return async (
    settings: EndpointSettings,
    feedId: string,
    body: Uint8Array,
    allowance: SharedArrayBuffer,
  ): Promise<TestOutcome> => {
    const feed = feedNumber(feedId) ?? 0;
    const createdAtMs = clock.wallMs();
    const counted: { usage: UsageDelta[]; latency: LatencyDelta[] } = { usage: [], latency: [] };
    const ledger = new UsageLedger(settings.accountId);
    if (!new Allowance(allowance).take(createdAtMs)) {
      ledger.skipped(feed);
      ledger.take(monthOf(createdAtMs), counted.usage, counted.latency);
      await commit({ attempts: [], ...counted });
      return {
        delivered: false,
        statusCode: null,
        latencyMs: 0,
        errorMessage: 'the monthly delivery limit is reached',
      };
    }
    const startedMs = clock.nowMs();
    const answer = await attempt(settings, feedId, body, createdAtMs);
    const latencyMs = clock.nowMs() - startedMs;
    const delivered = answer.statusCode !== null && answer.statusCode >= 200 && answer.statusCode < 300;
    const record = {
      webhookNo: settings.webhookNo,
      runNo: null,
      mode: 'test' as const,
      feed,
      sequence: 0,
      attempt: 1,
      statusCode: answer.statusCode,
      latencyMs,
      error: answer.error,
      responseBody: answer.body,
      createdAtMs,
    };
    if (delivered) parts.meter.attemptSucceeded(latencyMs, latencyMs);
    else parts.meter.attemptFailed(answer.statusCode, answer.error, latencyMs);
    ledger.attempt(feed, delivered ? latencyMs : null);
    ledger.take(monthOf(createdAtMs), counted.usage, counted.latency);
    await commit({ attempts: [record], ...counted });
    return {
      delivered,
      statusCode: answer.statusCode,
      latencyMs: Math.round(latencyMs * 100) / 100,
      errorMessage: delivered ? null : (answer.error ?? `HTTP ${answer.statusCode}`),
    };
  };
}
