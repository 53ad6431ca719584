// What the main thread and the live thread say to each other: sessions that begin, move on and end, and now and then how they
// stand. Never an update: those are read from shared memory.

import type { MessagePort } from 'node:worker_threads';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';

export type ToLive =
  /** A port to the operators' thread, which was started, or started again. */
  | { readonly kind: 'operators'; readonly port: MessagePort }
  /** Make everything durable, answer `closed`, take no more. */
  | { readonly kind: 'close' };

export type FromLive =
  /** A session has begun, or was found again after a crash. */
  | { readonly kind: 'session.opened'; readonly memory: LiveMemory; readonly phase: SessionPhase }
  | { readonly kind: 'session.moved'; readonly sessionId: string; readonly phase: SessionPhase }
  /** How it stands now, when that has changed: at most once a second. */
  | { readonly kind: 'session.outcome'; readonly sessionId: string; readonly outcome: SessionOutcome }
  /** It is over and can be replayed. */
  | { readonly kind: 'session.ended'; readonly sessionId: string }
  /** Every session that was left unfinished has been opened. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'closed' };
