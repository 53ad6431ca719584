// Where live runs are kept: one for each account and session that it has endpoints for. Each endpoint's progress is kept by
// the recorder, like that of replays.

export interface LiveRunRecord {
  readonly runId: string;
  readonly runNo: number;
  readonly accountId: string;
  readonly sessionId: string;
  /** Every endpoint that takes part, also those that were deleted since. */
  readonly webhookIds: readonly string[];
}

export interface LiveRunStore {
  /**
   * The unfinished runs of a session that goes on, all or nothing: those that there are, and one for every other account that
   * has endpoints. Endpoints that are new to the session begin at `position`; at its beginning if it is new to all.
   */
  enter(sessionId: string, position: number, now: Date): Promise<readonly LiveRunRecord[]>;
  /** The same for the endpoints of one account; those that are new begin at `position`. */
  enterAccount(sessionId: string, accountId: string, position: number, now: Date): Promise<LiveRunRecord | null>;
  /** Runs that the last process left. */
  unfinished(): Promise<readonly LiveRunRecord[]>;
  end(runId: string, state: 'completed' | 'stopped', now: Date): Promise<void>;
}
