// A single attempt on request: the sample that `POST /webhooks/:webhookId/test` sends, mode `test`. It is signed, recorded,
// counted and taken from the monthly allowance like any other, and not retried.

import type { Clock } from '#engine/base/clock.ts';
import { DEADLINE_MS } from '#engine/base/limits.ts';
import type { RecordBatch, RecordStore, Writer } from '#engine/delivery/delivery-log/record-store.ts';
import { destinationOf } from '#engine/delivery/endpoint/endpoint-state.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { DeliveryMeter } from '#engine/delivery/meter/delivery-meter.ts';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import type { Transport } from '#engine/delivery/transport/transport.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';

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

/** How a single test delivery ended. */
export interface TestOutcome {
  readonly delivered: boolean;
  readonly statusCode: number | null;
  readonly latencyMs: number;
  readonly errorMessage: string | null;
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
