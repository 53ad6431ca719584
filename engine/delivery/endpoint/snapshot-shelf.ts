// The snapshots that actors of a shard need. They are made elsewhere, because that takes up to a second or two: the shard asks,
// and the actors that wait get a turn when they are here. Made ones are kept for a while; what is not kept any more is asked
// for again. An answer that is late, or comes twice, changes nothing. After SNAPSHOTS_ASKED_MAX questions they are unavailable.

import { LRUCache } from 'lru-cache';
import { assert } from '#engine/base/assert.ts';
import {
  SNAPSHOTS_ANSWER_MS,
  SNAPSHOTS_ASKED_MAX,
  SNAPSHOTS_KEPT_BYTES_MAX,
  SNAPSHOTS_RETRY_MS,
} from '#engine/base/limits.ts';
import type { Snapshots } from '#engine/timeline/snapshots.ts';

export type SnapshotsAtHand = Snapshots | 'unavailable';

interface Asked<Actor> {
  readonly runId: string;
  readonly position: number;
  /** As many as there are actors at most. */
  readonly actors: Set<Actor>;
  times: number;
  /** When to ask again, on the monotonic clock. */
  againMs: number;
}

export class SnapshotShelf<Actor> {
  readonly #ask: (runId: string, position: number) => void;
  readonly #ready: (actor: Actor) => void;
  readonly #kept = new LRUCache<string, SnapshotsAtHand>({
    maxSize: SNAPSHOTS_KEPT_BYTES_MAX,
    sizeCalculation: (snapshots) => (snapshots === 'unavailable' ? 1 : snapshots.bytes.byteLength + 1),
  });
  readonly #asked = new Map<string, Asked<Actor>>();

  constructor(ask: (runId: string, position: number) => void, ready: (actor: Actor) => void) {
    this.#ask = ask;
    this.#ready = ready;
  }

  /** Null: they have been asked for, and the actor gets a turn when they are here. */
  get(runId: string, position: number, actor: Actor, nowMs: number): SnapshotsAtHand | null {
    const key = keyOf(runId, position);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = { runId, position, actors: new Set(), times: 0, againMs: 0 };
      this.#asked.set(key, asked);
      this.#askFor(asked, nowMs);
    }
    asked.actors.add(actor);
    return null;
  }

  /** `made`: null if they could not be made this time. */
  answered(runId: string, position: number, made: Snapshots | null, nowMs: number): void {
    const asked = this.#asked.get(keyOf(runId, position));
    if (asked === undefined) return;
    if (made !== null) this.#settle(asked, made);
    else asked.againMs = Math.min(asked.againMs, nowMs + SNAPSHOTS_RETRY_MS);
  }

  advance(nowMs: number): void {
    for (const asked of this.#asked.values()) {
      if (nowMs < asked.againMs) continue;
      if (asked.times < SNAPSHOTS_ASKED_MAX) this.#askFor(asked, nowMs);
      else this.#settle(asked, 'unavailable');
    }
  }

  /** Returns when `advance` is due next, on the monotonic clock. */
  nextDueMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { againMs } of this.#asked.values()) nextMs = Math.min(nextMs, againMs);
    return nextMs;
  }

  /** The shard has let go of the run. */
  forget(runId: string): void {
    for (const [key, asked] of this.#asked) if (asked.runId === runId) this.#asked.delete(key);
  }

  #askFor(asked: Asked<Actor>, nowMs: number): void {
    asked.times++;
    asked.againMs = nowMs + SNAPSHOTS_ANSWER_MS;
    this.#ask(asked.runId, asked.position);
  }

  #settle({ runId, position, actors }: Asked<Actor>, snapshots: SnapshotsAtHand): void {
    const key = keyOf(runId, position);
    assert(this.#asked.delete(key), 'what is awaited ends once');
    // Larger than all that is kept together, they could never be used.
    const isKept = this.#kept.set(key, snapshots).has(key);
    if (!isKept) this.#kept.set(key, 'unavailable');
    for (const actor of actors) this.#ready(actor);
  }
}

function keyOf(runId: string, position: number): string {
  return `${position} ${runId}`;
}
