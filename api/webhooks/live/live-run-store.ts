// The store of live runs: one per session and account with endpoints. The recorder stores each endpoint's progress, as
// for replays.

export interface LiveRunRecord {
  readonly runId: string;
  readonly runNo: number;
  readonly accountId: string;
  readonly sessionId: string;
}

export interface HomeEntry {
  readonly isOurs: (accountId: string) => boolean;
  /** When the session began. */
  readonly beganAt: Date;
}

export interface LiveRunStore {
  /**
   * Creates, atomically, a run of a live session for every account with endpoints that has none. Resolves with all its
   * unfinished runs. Endpoints new to the session start at `position`, or at 0 if the session itself is new.
   *
   * `home`, in a cluster: for these accounts alone, because the others enter on their own nodes. So nobody can see from the
   * runs whether the session is new: endpoints that are older than it start at 0.
   */
  enter(sessionId: string, position: number, now: Date, home?: HomeEntry): Promise<readonly LiveRunRecord[]>;
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
  /** All unfinished runs, except those of sessions that are live in a cluster. */
  unfinished(): Promise<readonly LiveRunRecord[]>;
  /** `updateCount`: how many updates the session has published, if that is known. */
  end(runId: string, state: 'completed' | 'stopped', now: Date, updateCount?: number | null): Promise<void>;
}
