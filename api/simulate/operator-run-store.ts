// The runs of all accounts, as operators see them: what is in progress, and a request to stop one.

import type { ShownState, Sinks } from './run-store.ts';

export interface OperatedRun {
  readonly runId: string;
  /** A replay, the live delivery of a session to the endpoints of one account, or a resend of either. */
  readonly mode: 'replay' | 'live' | 'resend';
  readonly state: ShownState;
  readonly accountId: string;
  readonly email: string;
  readonly sessionId: string;
  readonly speed: number;
  readonly sinks: Sinks;
  readonly startedAt: Date;
  readonly endpoints: number;
  /** The furthest position that an endpoint has reached. */
  readonly position: number;
  /** 0 for a live run, which does not know its end. */
  readonly updateCount: number;
  /** The origin of the timeline that it plays, as text. Null for a live run, and for replays from before it was stored. */
  readonly timelineOrigin: string | null;
}

export interface OperatorRunStore {
  /**
   * Runs that have not ended, oldest first, at most `max`: RUNS_LISTED_MAX by default. `account` restricts them to the
   * account with this id or email address.
   */
  inProgress(account: string | null, max?: number): Promise<OperatedRun[]>;
  /** Whether there is an account with this id or email address. */
  hasAccount(account: string): Promise<boolean>;
  /** A run in any state. */
  find(runId: string): Promise<OperatedRun | null>;
  /**
   * Marks an unfinished replay or resend as stopping, and notifies the service. Does nothing to other runs. Safe to
   * repeat: a notification can be lost.
   */
  requestStop(runId: string): Promise<void>;
}
