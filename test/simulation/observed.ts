// What a simulation has seen from outside of the engine: attempts as they reached receivers, what the database has taken on,
// what customers changed and when. Checkers read this, and nothing of what the engine counts itself.

import type { AttemptRecord, RecordBatch } from '#engine/delivery/delivery-log/record-store.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunMode, StopReason } from '#engine/delivery/run-order.ts';
import type { ToShard } from '#engine/delivery/shard/shard-messages.ts';
import type { Reaction } from './receivers.ts';

/** How an attempt ended for its sender. */
export type AttemptEnd =
  | { readonly kind: 'answered'; readonly status: number | null; readonly error: string | null }
  /** The sender wanted no answer any more once its deadline had passed, or because its actor failed. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'dropped' }
  /** Its thread died before. */
  | { readonly kind: 'cut' };

export interface SeenAttempt {
  /** Its place among all starts and ends. */
  readonly no: number;
  readonly runId: string;
  readonly endpoint: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly wallMs: number;
  readonly url: string;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  /** The incarnation of a shard that sent it, and of the actor there. */
  readonly thread: number;
  readonly shard: number;
  readonly life: number;
  readonly reaction: Reaction;
  ended: { readonly end: AttemptEnd; readonly atMs: number; readonly no: number } | null;
}

export interface LandedAttempt {
  readonly record: AttemptRecord;
  readonly landedAtMs: number;
}

/** Settings as they were from a moment on. */
export interface Version {
  readonly fromMs: number;
  readonly settings: EndpointSettings;
  readonly deleted: boolean;
}

export interface RunRow {
  readonly runId: string;
  readonly runNo: number;
  readonly mode: RunMode;
  readonly account: string;
  readonly speed: number;
  readonly allFeeds: boolean;
  /** Where each endpoint began. */
  readonly endpoints: Map<string, number>;
  state: 'running' | 'stopping' | 'ended';
  stopped: { readonly atMs: number; readonly reason: StopReason } | null;
}

/** That a run was handed to the engine: what is due when follows from it. */
export interface Handed {
  readonly runId: string;
  readonly atMs: number;
  /** When position 0 of a complete timeline was due; null while it is live. */
  readonly startMs: number | null;
}

/** What a shard was told: from then on it knows. */
export interface Received {
  readonly no: number;
  readonly thread: number;
  readonly message: ToShard;
}

export interface ThreadSeen {
  readonly thread: number;
  readonly shard: number;
  readonly bornMs: number;
  diedMs: number | null;
  /** It died by itself and was not ended. */
  wasKilled: boolean;
}

export class Observed {
  readonly attempts: SeenAttempt[] = [];
  readonly landed: LandedAttempt[] = [];
  readonly versions = new Map<string, Version[]>();
  readonly runs = new Map<string, RunRow>();
  readonly handed: Handed[] = [];
  readonly threads: ThreadSeen[] = [];
  readonly received: Received[] = [];
  /** When something threw in whose actor, as `run endpoint`, so that it was restarted. */
  readonly restarted = new Map<string, number[]>();
  /** Steps of the wall clock, and stalls of every thread. */
  readonly clockSteps: { readonly atMs: number; readonly wallMs: number; readonly stepMs: number }[] = [];
  readonly stalls: { readonly atMs: number; readonly forMs: number }[] = [];
  readonly published: { readonly length: number; readonly atMs: number }[] = [];
  /** Ends by SIGTERM, and whether every shard said that it had written down everything. */
  readonly drains: { readonly threads: ReadonlySet<number>; readonly wasClean: boolean }[] = [];
  /** What must not be, found while it happened. */
  readonly violations: string[] = [];
  readonly trace: string[] | null;
  #no = 0;

  constructor(traced: boolean) {
    this.trace = traced ? [] : null;
  }

  nextNo(): number {
    return this.#no++;
  }

  violated(text: string): void {
    if (this.violations.length < 20) this.violations.push(text);
  }

  note(atMs: number, text: () => string): void {
    this.trace?.push(`${atMs.toFixed(3)} ${text()}`);
  }

  batch(atMs: number, batch: RecordBatch, what: string): void {
    this.note(
      atMs,
      () =>
        `${what} ${batch.writer.name} (${batch.writer.epoch}) #${batch.batchNo}: ${batch.attempts.length} attempts, ${batch.checkpoints.length} checkpoints`,
    );
  }
}
