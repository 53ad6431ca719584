// Messages between the main thread and the live thread: sessions that start, change phase and end, and their outcomes
// so far. Updates are never sent: readers take them from shared memory.

import type { MessagePort } from 'node:worker_threads';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import type { KnownBefore } from '#engine/racing/session/known-before.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';

export type ToLive =
  /** A port to the operators' thread, which has just started or restarted. */
  | { readonly kind: 'operators'; readonly port: MessagePort }
  /** What was known before a session that has opened. */
  | { readonly kind: 'session.known'; readonly sessionId: string; readonly known: KnownBefore }
  /** Whether this node does what one node does for all: follow live timing, and publish what is over. */
  | { readonly kind: 'keeper'; readonly isKeeper: boolean }
  /** Make everything durable, reply `closed` and take no more frames. */
  | { readonly kind: 'close' };

export type FromLive =
  /** A session has started, or was recovered after a crash. `beganAtMs` (Unix epoch): in a cluster, when it began. */
  | {
      readonly kind: 'session.opened';
      readonly memory: LiveMemory;
      readonly phase: SessionPhase;
      readonly beganAtMs: number | null;
    }
  | { readonly kind: 'session.moved'; readonly sessionId: string; readonly phase: SessionPhase }
  /** The outcome so far, sent when it has changed, at most once a second. */
  | { readonly kind: 'session.outcome'; readonly sessionId: string; readonly outcome: SessionOutcome }
  /** This node differs from its cluster about the session, and follows it no more. */
  | { readonly kind: 'session.left'; readonly sessionId: string }
  /** The session has ended and can be replayed. */
  | { readonly kind: 'session.ended'; readonly sessionId: string }
  /** All unfinished sessions have been recovered. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'closed' };
