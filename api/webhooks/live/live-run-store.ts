// The store of live runs: one per session and account with endpoints. The recorder stores each endpoint's progress, as
// for replays.

export interface LiveRunRecord {
  readonly runId: string;
  readonly runNo: number;
  readonly accountId: string;
  readonly sessionId: string;
  /** Every endpoint of the run, including those deleted since. */
  readonly webhookIds: readonly string[];
}

export interface LiveRunStore {
  /**
   * Creates, atomically, a run of a live session for every account with endpoints that has none. Resolves with all its
   * unfinished runs. Endpoints new to the session start at `position`, or at 0 if the session itself is new.
   */
  enter(sessionId: string, position: number, now: Date): Promise<readonly LiveRunRecord[]>;
  /** Does the same for one account. Its new endpoints start at `position`. */
  enterAccount(sessionId: string, accountId: string, position: number, now: Date): Promise<LiveRunRecord | null>;
  /** All unfinished runs. */
  unfinished(): Promise<readonly LiveRunRecord[]>;
  end(runId: string, state: 'completed' | 'stopped', now: Date): Promise<void>;
}
