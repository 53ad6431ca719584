// An entry of the delivery log, as customers see it.

import type { Static } from 'typebox';
import { logId } from '#engine/base/ids.ts';
import { testSessionId } from '#engine/delivery/endpoint/test-delivery.ts';
import { DeliveryHeaders, deliveryId } from '#engine/delivery/sign/delivery-headers.ts';
import { placeOf, SNAPSHOTS_FROM } from '#engine/timeline/snapshot-number.ts';
import type { LogEntry } from '#schemas/http/deliveries.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import type { LoggedAttempt } from './delivery-log-store.ts';

/** The entries of one endpoint. */
export class LogEntries {
  readonly #webhookId: string;
  readonly #headerPrefix: string;
  /** By run id: entries of a page have few runs. */
  readonly #idPrefixes = new Map<string, string>();

  constructor(webhookId: string, headerPrefix: string) {
    this.#webhookId = webhookId;
    this.#headerPrefix = headerPrefix;
  }

  shown(attempt: LoggedAttempt): Static<typeof LogEntry> {
    const { logNo, run, mode, feed, sequence, statusCode, responseBody, createdAt, error } = attempt;
    const isSnapshot = sequence > SNAPSHOTS_FROM;
    const delivered = statusCode !== null && statusCode >= 200 && statusCode < 300;
    return {
      logId: logId(logNo),
      webhookId: this.#webhookId,
      statusCode,
      latencyMs: rounded(attempt.latencyMs),
      createdAt: createdAt.toISOString(),
      responseBody,
      deliveryId: this.#deliveryId(attempt),
      feedId: FEEDS[feed]?.feedId ?? '',
      sessionId: run?.sessionId ?? null,
      runId: run?.runId ?? null,
      mode,
      // That of the last update in a snapshot.
      sequence: isSnapshot ? placeOf(sequence - 1) : sequence,
      snapshot: isSnapshot,
      attempt: attempt.attempt,
      outcome: delivered ? 'delivered' : 'failed',
      failureCode: attempt.failureCode ?? (statusCode === null || delivered ? null : 'http_status'),
      errorMessage: error,
      lagMs: attempt.lagMs === null ? null : rounded(attempt.lagMs),
    };
  }

  /** The headers that the deliveries of this attempt's run have in common. Null once the run was removed. */
  headersOf({ run, mode, createdAt }: LoggedAttempt): DeliveryHeaders | null {
    const headerPrefix = this.#headerPrefix;
    if (mode === 'test')
      return new DeliveryHeaders({ mode, sessionId: testSessionId(createdAt.getTime()), run: null, headerPrefix });
    if (run === null) return null;
    const { runId, sessionId, speed, resend } = run;
    const replayId = resend === null ? runId : resend.replayId;
    return new DeliveryHeaders({
      mode,
      sessionId,
      run: mode === 'replay' && replayId !== null ? { runId: replayId, speed } : null,
      resend: resend === null ? null : runId,
      headerPrefix,
    });
  }

  #deliveryId(attempt: LoggedAttempt): string | null {
    const { run, sequence } = attempt;
    let prefix = run === null ? undefined : this.#idPrefixes.get(run.runId);
    if (prefix === undefined) {
      prefix = this.headersOf(attempt)?.idPrefix(this.#webhookId);
      if (prefix === undefined) return null;
      if (run !== null) this.#idPrefixes.set(run.runId, prefix);
    }
    return deliveryId(prefix, sequence);
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
