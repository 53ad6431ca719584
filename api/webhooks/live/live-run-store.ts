// The store of live runs: one per session and account with endpoints. The recorder stores each endpoint's progress, as
// for replays.

export interface LiveRunRecord {
  readonly runId: string;
  readonly runNo: number;
  readonly accountId: string;
  readonly sessionId: string;
}

export interface LiveRunStore {
  /**
   * Creates, atomically, a run of a live session for every account with endpoints that has none. Resolves with all its
   * unfinished runs. Endpoints new to the session start at `position`, or at 0 if the session itself is new.
   */
  enter(sessionId: string, position: number, now: Date): Promise<readonly LiveRunRecord[]>;
  /**
   * Adds one endpoint to its account's run of a live session, at `position`, and creates the run if there is none.
   * Resolves with the run, or with null if the endpoint was deleted. The account's other endpoints cost nothing.
   */
  enterEndpoint(
    sessionId: string,
    accountId: string,
    webhookId: string,
    position: number,
    now: Date,
  ): Promise<LiveRunRecord | null>;
  /** The ids of every endpoint of a run, including those deleted since. */
  endpoints(runId: string): Promise<string[]>;
  /** All unfinished runs. */
  unfinished(): Promise<readonly LiveRunRecord[]>;
  /** `updateCount`: how many updates the session has published, if that is known. */
  end(runId: string, state: 'completed' | 'stopped', now: Date, updateCount?: number | null): Promise<void>;
}
