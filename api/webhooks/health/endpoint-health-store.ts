// Reads how endpoints fare. The delivery threads write it with their group commit, so it is read by key, never from the log.

export interface LastFailure {
  readonly at: Date;
  readonly code: string;
  /** Null if there was no response. */
  readonly statusCode: number | null;
}

export interface EndpointHealth {
  readonly state: 'healthy' | 'failing' | 'paused_for_run';
  /** Null unless failing. */
  readonly failingSince: Date | null;
  /** Attempts of the last hour, all modes. */
  readonly attempts: number;
  readonly delivered: number;
  /** Null without a delivered attempt. */
  readonly p95LatencyMs: number | null;
  readonly lastFailure: LastFailure | null;
  /** Updates of the account's latest live sessions that ended undelivered, without those that a resend has delivered. */
  readonly missedUpdates: number;
}

export interface EndpointHealthStore {
  /** By webhook id. Endpoints that were never tried are healthy. */
  of(webhookIds: readonly string[], now: Date): Promise<ReadonlyMap<string, EndpointHealth>>;
}
