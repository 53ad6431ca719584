// What a simulation has observed from outside the engine: attempts as they reached receivers, what the database has
// committed, what customers changed and when. The checkers read only this, never the engine's own counts.

import type { AttemptRecord, RecordBatch } from '#engine/delivery/delivery-log/record-store.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunMode, StopReason } from '#engine/delivery/run-order.ts';
import type { ToShard } from '#engine/delivery/shard/shard-messages.ts';
import type { Reaction } from './receivers.ts';

/** How an attempt ended for its sender. */
export type AttemptEnd =
  | { readonly kind: 'answered'; readonly status: number | null; readonly error: string | null }
  /** The sender gave up: the deadline had passed. */
  | { readonly kind: 'abandoned' }
  /** The sender gave up: its actor had failed. */
  | { readonly kind: 'dropped' }
  /** Its thread died first. */
  | { readonly kind: 'cut' };

export interface SeenAttempt {
  /** Its number in the order of all starts and ends. */
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
  /** `thread`: the shard thread that sent it. `life`: how often its actor had been restarted there. */
  readonly thread: number;
  readonly shard: number;
  readonly life: number;
  readonly reaction: Reaction;
  readonly overSockets: boolean;
  /** How often a receiver read it. */
  requests: number;
  ended: { readonly end: AttemptEnd; readonly atMs: number; readonly no: number } | null;
}

export interface LandedAttempt {
  readonly record: AttemptRecord;
  readonly landedAtMs: number;
}

/** Settings in force from `fromMs` on. */
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
  readonly ordered: boolean;
  /** The origin of what a replay plays; null for a live run. */
  readonly timelineOrigin: string | null;
  /** Of a resend: which run's updates it sends again, and what was known when it began; null for other runs. */
  readonly resend: {
    readonly of: string;
    readonly positions: Uint32Array;
    readonly atMs: number;
    /** How many versions of its settings the endpoint had had. */
    readonly versions: number;
  } | null;
  /** The position at which each endpoint began. */
  readonly endpoints: Map<string, number>;
  state: 'running' | 'stopping' | 'ended';
  stopped: { readonly atMs: number; readonly reason: StopReason } | null;
  /** Whether its customer has paused it. */
  held: boolean;
}

/** From when nothing of a run was in the engine, and until when; Infinity while that lasts. */
export interface Parked {
  readonly runId: string;
  readonly fromMs: number;
  untilMs: number;
}

/** Positions that an endpoint was made to jump over, from the first one up to, and without, the last. */
export interface Jump {
  readonly runId: string;
  readonly endpoint: string;
  readonly atMs: number;
  readonly from: number;
  readonly to: number;
}

/** A run was handed to the engine. When its updates are due follows from that. */
export interface Handed {
  readonly runId: string;
  readonly atMs: number;
  /** When position 0 of a complete timeline was due; null for a live one. */
  readonly startMs: number | null;
}

/** A message that a shard has received: from then on it knows it. */
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
  /** True if it died; false if it was ended. */
  wasKilled: boolean;
}

export class Observed {
  readonly attempts: SeenAttempt[] = [];
  readonly landed: LandedAttempt[] = [];
  readonly versions = new Map<string, Version[]>();
  readonly runs = new Map<string, RunRow>();
  readonly handed: Handed[] = [];
  readonly parked: Parked[] = [];
  /** When customers paused runs, and until when. */
  readonly holds: Parked[] = [];
  readonly jumps: Jump[] = [];
  readonly threads: ThreadSeen[] = [];
  readonly received: Received[] = [];
  /** When each actor, `run endpoint`, threw and was restarted. */
  readonly restarted = new Map<string, number[]>();
  /** Steps of the wall clock, and stalls of every thread. */
  readonly clockSteps: { readonly atMs: number; readonly wallMs: number; readonly stepMs: number }[] = [];
  readonly stalls: { readonly atMs: number; readonly forMs: number }[] = [];
  readonly published: { readonly length: number; readonly atMs: number }[] = [];
  /** Ends by SIGTERM, and whether every shard reported that it had recorded everything. */
  readonly drains: { readonly threads: ReadonlySet<number>; readonly wasClean: boolean }[] = [];
  /** How many questions for snapshots were not answered in time. */
  snapshotsFailed = 0;
  /** Violations found so far. */
  readonly violations: string[] = [];
  readonly trace: string[] | null;
  #no = 0;

  constructor(traced: boolean) {
    this.trace = traced ? [] : null;
  }

  /** Whether an endpoint was made to jump over this position. */
  isJumped(runId: string, endpoint: string, position: number, beforeMs = Number.POSITIVE_INFINITY): boolean {
    return this.jumps.some(
      (jump) =>
        jump.runId === runId &&
        jump.endpoint === endpoint &&
        jump.atMs < beforeMs &&
        position >= jump.from &&
        position < jump.to,
    );
  }

  /** Whether the run was out of the engine at some moment between these two. */
  wasParked(runId: string, fromMs: number, untilMs: number): boolean {
    return this.parked.some((one) => one.runId === runId && one.fromMs <= untilMs && one.untilMs >= fromMs);
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
        `${what} ${batch.writer.name} (${batch.writer.epoch}) #${batch.batchNo}: ${batch.attempts.length} attempts, ${batch.checkpoints.length} checkpoints${batch.checkpointsAreLate === true ? ', late' : ''}`,
    );
  }
}
