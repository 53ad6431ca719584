// The store of resends.

import type { RunOutcomes } from '#engine/delivery/delivery-log/missed-updates.ts';

/** A run of which updates can be sent again: live delivery, a replay, or a resend of either. */
export interface SourceRun {
  readonly runId: string;
  readonly runNo: number;
  /** Of a resend: that of what it sends again. */
  readonly mode: 'live' | 'replay';
  readonly isResend: boolean;
  /** The replay, or the replay that a resend is of; null for live delivery. */
  readonly replayId: string | null;
  readonly sessionId: string;
  readonly speed: number;
  readonly ended: boolean;
  readonly startedAt: Date;
  readonly updateCount: number;
  readonly timelineOrigin: string | null;
  /** Which deriver version published a live run; null if several did. */
  readonly deriverVersion: number | null;
}

export interface NewResend {
  readonly runId: string;
  readonly accountId: string;
  readonly webhookId: string;
  readonly sessionId: string;
  /** Null: of live delivery. */
  readonly replayId: string | null;
  /** That of the replay. */
  readonly speed: number;
  readonly timelineOrigin: string | null;
  readonly positions: Uint32Array;
  readonly startedAt: Date;
}

export interface ResendRecord extends NewResend {
  readonly runNo: number;
  readonly state: 'running' | 'stopping';
}

export interface ResendStore {
  /** Runs of this account in which the endpoint takes part, the newest first; of one session, or, with null, of all. */
  sources(accountId: string, webhookId: string, sessionId: string | null): Promise<SourceRun[]>;
  /** How the endpoint's updates have ended in these runs, as of one moment. */
  outcomes(webhookId: string, webhookNo: number, runs: readonly SourceRun[]): Promise<RunOutcomes[]>;
  /** Notes how many updates that the endpoint missed in this live run resends have delivered since. */
  noteRecovered(runId: string, webhookId: string, recovered: number): Promise<void>;
  /** Starts a resend. `running` when the endpoint has one in progress. Resolves with the run's number. */
  insert(resend: NewResend): Promise<number | 'running'>;
  /** All resends, of all accounts, that have not ended. */
  unfinished(): Promise<ResendRecord[]>;
  /** Ids of the unfinished resends that are marked as stopping, of one account or, with null, of all. */
  stopping(accountId: string | null): Promise<string[]>;
}
