// The store of replay runs. Their resends are listed with them.

export type RunState = 'running' | 'stopping' | 'stopped' | 'completed';
/** As customers see it. */
export type ShownState = RunState | 'paused';
export type Sinks = 'visual' | 'webhook' | 'both';

export interface NewRun {
  readonly runId: string;
  readonly accountId: string;
  readonly sessionId: string;
  readonly speed: number;
  readonly sinks: Sinks;
  readonly updateCount: number;
  /** The origin of the timeline that it plays. Null for a run that began under a version that did not store it. */
  readonly timelineOrigin: string | null;
  readonly startedAt: Date;
  /** Whether each endpoint gets one update at a time. Default: false. */
  readonly ordered?: boolean;
}

export interface RunStart extends NewRun {
  /** The position at which its endpoints begin. */
  readonly position: number;
  /** The endpoints that it goes to; null: all that the account has. */
  readonly webhookIds: readonly string[] | null;
  /** Whether any of them gets deliveries now. */
  readonly reachesAny: boolean;
}

/**
 * Why a run cannot start: the account has one in progress, no simulate slot is left for the session, or no endpoint would
 * get it.
 */
export type RunObstacle = 'running' | 'no_slot' | 'no_endpoint';

export interface StartedRun {
  readonly runNo: number;
  /** The endpoints of the run: the chosen ones, or all that the account has at its start, including paused ones. */
  readonly webhookIds: readonly string[];
}

export interface RunProgress {
  readonly webhookId: string;
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly breaker: 'closed' | 'open';
  readonly lagMs: number;
}

/** What a resend sends again. */
export interface ResentUpdates {
  readonly webhookId: string;
  /** The replay that they are of; null: live delivery of the session. */
  readonly runId: string | null;
  readonly updates: number;
}

export interface RunRecord extends NewRun {
  readonly runNo: number;
  readonly kind: 'replay' | 'resend';
  /** Null for a replay. */
  readonly resend: ResentUpdates | null;
  readonly state: RunState;
  readonly endedAt: Date | null;
  readonly visualPosition: number;
  /** Whether it was stopped because the client of its stream left: the client may come back. */
  readonly visualLeft: boolean;
  /** When it was paused; null while it plays. */
  readonly pausedAt: Date | null;
  /** Where an accepted seek moves it, until that is done; null otherwise. */
  readonly seekPosition: number | null;
  /** The furthest position of any endpoint. */
  readonly deliveryPosition: number;
  readonly endpoints: readonly RunProgress[];
}

/** A run of a list, which shows a part of its endpoints. */
export interface ListedRun extends RunRecord {
  /** How many it has, and how many of them are active. */
  readonly endpointCount: number;
  readonly activeCount: number;
}

/** Which endpoints a list shows of each run, and which count as active. */
export interface ListedEndpoints {
  readonly max: number;
  readonly active: ReadonlySet<string>;
}

/** Only runs with these. */
export interface RunFilter {
  readonly state?: ShownState;
  readonly session?: string;
  readonly sinks?: Sinks;
}

/** Runs of other accounts count as non-existent in all methods. */
export interface RunStore {
  /**
   * Starts a run, or returns the obstacle. `slots` is how many sessions the account may unlock; null if this run needs
   * no slot. The limit is exact under any concurrency, since a run takes its slot before it ends. Visual runs have no
   * endpoints.
   */
  insert(run: RunStart, slots: number | null): Promise<StartedRun | RunObstacle>;
  /** Newest first. */
  list(
    accountId: string,
    limit: number,
    offset: number,
    endpoints: ListedEndpoints,
    filter?: RunFilter,
  ): Promise<ListedRun[]>;
  count(accountId: string, filter?: RunFilter): Promise<number>;
  find(accountId: string, runId: string): Promise<RunRecord | null>;
  /** All replays, of all accounts, that have not ended. */
  unfinished(): Promise<RunRecord[]>;
  /** Ids of the unfinished replays that are marked as stopping, of one account or, with null, of all. */
  stopping(accountId: string | null): Promise<string[]>;
  /** Marks a running run as stopping. */
  markStopping(runId: string): Promise<void>;
  /** Marks an unfinished run as ended. `left`: the client of its stream left and may come back. */
  end(runId: string, state: 'stopped' | 'completed', visualPosition: number, left: boolean, now: Date): Promise<void>;
  /** Notes that an unfinished run is paused, or with null that it plays. */
  pause(runId: string, at: Date | null): Promise<void>;
  /** Notes where a running run is to be moved. False if it is over, or is to be moved further already. */
  acceptSeek(runId: string, position: number): Promise<boolean>;
  /**
   * Moves every endpoint of the run that is before this position to it, which carries out the seek. No process may play
   * the run meanwhile: what is between counts neither as matched nor as anything else.
   */
  seek(runId: string, position: number): Promise<void>;
  /** The newest run of the session that has such a stream. */
  lastWatched(accountId: string, sessionId: string, sinks: Sinks): Promise<RunRecord | null>;
  /**
   * Makes a run that its client had left a running one again, at this speed, or returns the obstacle. `slots` as for
   * `insert`. Returns null if the run is no such run any more.
   */
  reopen(runId: string, slots: number | null, speed: number): Promise<'reopened' | RunObstacle | null>;
  /** Notes that an unfinished run plays at another speed. */
  changeSpeed(runId: string, speed: number): Promise<void>;
}
