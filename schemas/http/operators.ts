// What the operators' page gets from the operators' listener. Times are ISO 8601.

export interface OperatorsOverview {
  readonly at: string;
  readonly version: string;
  /** When the process began. */
  readonly startedAt: string;
  readonly memoryBytes: number;
  /** Null: unknown. */
  readonly disk: { readonly freeBytes: number; readonly bytes: number } | null;
  readonly files: { readonly open: number; readonly most: number } | null;
  /** Null: it did not answer in time. */
  readonly database: { readonly connections: number; readonly answerMs: number } | null;
  readonly threads: readonly ThreadFigures[];
  readonly shards: readonly ShardFigures[];
  readonly streams: readonly StreamFigures[];
  readonly live: LiveFigures;
  /** Those in progress, the oldest ones. Null: the database did not answer in time. */
  readonly runs: readonly RunFigures[] | null;
  /** How many warnings and errors were logged so far. */
  readonly warnings: number;
}

export interface ThreadFigures {
  readonly name: string;
  /** Since its last sign of life. Null: it has not begun. */
  readonly silentMs: number | null;
  readonly starts: number;
  readonly heapBytes: number;
  /** Its share of work in the latest sample, 0 to 1, and how late its timers fired. Null: not known yet. */
  readonly busy: number | null;
  readonly delayP99Ms: number | null;
}

export interface ShardFigures {
  readonly shard: number;
  readonly actors: number;
  readonly breakersOpen: number;
  /** Updates in mailboxes: due, but not started. */
  readonly mailbox: number;
  /** In the fullest one. */
  readonly mailboxMost: number;
  /** How long the oldest of them has been due. */
  readonly queuedMs: number;
  readonly inFlight: number;
  readonly retrying: number;
  readonly connections: number;
  /** Attempts that are not recorded yet, and how long the oldest has waited. */
  readonly recordAttempts: number;
  readonly recordMs: number;
  readonly commitFailures: number;
  readonly actorRestarts: number;
}

export interface StreamFigures {
  readonly protocol: string;
  readonly open: number;
  /** Those whose client does not read. */
  readonly blocked: number;
  readonly updates: number;
}

export interface LiveFigures {
  /** Whether live timing is connected. Null: it is not configured. */
  readonly connected: boolean | null;
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly frames: number;
    readonly updates: number;
    /** Since its latest frame. */
    readonly silentMs: number;
  }[];
}

export interface RunFigures {
  readonly runId: string;
  readonly mode: 'replay' | 'live' | 'resend';
  readonly state: string;
  readonly accountId: string;
  readonly email: string;
  readonly sessionId: string;
  readonly speed: number;
  readonly startedAt: string;
  readonly endpoints: number;
  /** The furthest position that an endpoint has reached. */
  readonly position: number;
  /** 0 for a live run, which does not know its end. */
  readonly updateCount: number;
}

/** Samples of the last hour, oldest first. A column has null where nothing was measured. */
export interface OperatorsHistory {
  readonly everyMs: number;
  /** When each sample was taken, in Unix seconds. */
  readonly at: readonly number[];
  readonly columns: Readonly<Record<HistoryColumn, readonly (number | null)[]>>;
}

/** Lag: from when an update was due to its acknowledgement. Attempt: how long a request took. Milliseconds. */
export const HISTORY_COLUMNS = [
  'liveLagP50',
  'liveLagP99',
  'replayLagP50',
  'replayLagP99',
  'attemptP50',
  'attemptP99',
  'delivered',
  'failed',
] as const;

export type HistoryColumn = (typeof HISTORY_COLUMNS)[number];

/** A line of the log. */
export interface ShownWarning {
  readonly at: string;
  readonly level: 'warning' | 'error' | 'fatal';
  /** The thread. */
  readonly from: string;
  readonly text: string;
  readonly details: string;
}

export interface OperatorsFindings {
  readonly at: string;
  readonly findings: readonly ShownFinding[];
}

export interface ShownFinding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem' | 'unknown';
  readonly text: string;
  /** What to do; empty when there is nothing to do. */
  readonly next: string;
}
