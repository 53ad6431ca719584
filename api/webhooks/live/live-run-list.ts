// Reads the live runs of an account.

export interface ListedLiveRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly state: 'running' | 'stopping' | 'stopped' | 'completed';
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** Of all its endpoints together. */
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: number;
  readonly lagMs: number;
  /** The first ones. */
  readonly endpoints: readonly LiveRunProgress[];
}

export interface LiveRunProgress {
  readonly webhookId: string;
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly lagMs: number;
}

export interface LiveRunList {
  /** Newest first. `sessionId`: of this session only, unless it is null. `endpointsMax`: shown of each run. */
  list(
    accountId: string,
    sessionId: string | null,
    limit: number,
    offset: number,
    endpointsMax: number,
  ): Promise<ListedLiveRun[]>;
  count(accountId: string, sessionId: string | null): Promise<number>;
}
