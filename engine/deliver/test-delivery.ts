// A single attempt on request: the sample that `POST /webhooks/:webhookId/test` sends, mode `test`. It is signed, recorded
// and counted like any other, and not retried.

import type { Clock } from '#engine/clock.ts';
import type { TestOutcome } from '#engine/cluster/delivery-control.ts';
import type { EndpointSettings } from '#engine/endpoint/endpoint.ts';
import { destinationOf } from '#engine/endpoint/endpoint-state.ts';
import { DEADLINE_MS } from '#engine/limits.ts';
import type { RecordStore } from '#engine/record/record-store.ts';
import { DeliveryHeaders } from '#engine/sign/delivery-headers.ts';
import { Signer } from '#engine/sign/signer.ts';
import { FEEDS, feedNumber } from '#schemas/webhook/feeds.ts';
import type { Transport } from './transport.ts';

export interface TestDeliveryParts {
  readonly transport: Transport;
  readonly store: RecordStore;
  readonly clock: Clock;
  /** Names this sender among all writers, for ever. */
  readonly writer: string;
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

  function attempt(settings: EndpointSettings, feedId: string, body: Uint8Array): Promise<Answer> {
    const destination = destinationOf(settings);
    const wallMs = clock.wallMs();
    const headers = new DeliveryHeaders({
      mode: 'test',
      webhookId: settings.webhookId,
      // A test belongs to no session; the moment makes its delivery id its own.
      sessionId: `test ${wallMs}`,
      run: null,
      headerPrefix: parts.headerPrefix,
    }).forAttempt(new Signer(settings.secret, settings.previousSecret), feedId, 0, 1, body, wallMs);
    const connections = transport.connect(destination.origin, false);
    return new Promise<Answer>((resolve) => {
      const exchange = connections.send(destination, headers, body, {
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

  return async (settings: EndpointSettings, feedId: string, body: Uint8Array): Promise<TestOutcome> => {
    const createdAtMs = clock.wallMs();
    const startedMs = clock.nowMs();
    const answer = await attempt(settings, feedId, body);
    const latencyMs = clock.nowMs() - startedMs;
    const delivered = answer.statusCode !== null && answer.statusCode >= 200 && answer.statusCode < 300;
    const feed = feedNumber(feedId) ?? 0;
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
    const usage = {
      accountId: settings.accountId,
      month: `${new Date(createdAtMs).toISOString().slice(0, 7)}-01`,
      feedId: FEEDS[feed]!.feedId,
      attempts: 1,
      succeeded: delivered ? 1 : 0,
      failed: delivered ? 0 : 1,
      skipped: 0,
    };
    // One batch after the other: a writer's numbers arrive in order.
    written = written
      .catch(() => {})
      .then(() => {
        batchNo++;
        return store.commit({ writer: parts.writer, batchNo, attempts: [record], usage: [usage], checkpoints: [] });
      });
    await written;
    return {
      delivered,
      statusCode: answer.statusCode,
      latencyMs: Math.round(latencyMs * 100) / 100,
      errorMessage: delivered ? null : (answer.error ?? `HTTP ${answer.statusCode}`),
    };
  };
}
