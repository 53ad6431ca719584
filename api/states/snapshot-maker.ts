// Makes snapshots on the thread for states. Accounts take turns, and what several shards or endpoints want at one time is
// made once.

import { FairTurns, type Turn } from '#engine/base/fair-turns.ts';
import { SNAPSHOTS_MADE_AT_ONCE_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { type Snapshots, snapshotBody } from '#engine/timeline/snapshots.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { inParts, type StateFolder } from './state-folder.ts';
import type { TimelineKeys } from './timeline-keys.ts';

export interface SnapshotMakerParts {
  readonly folder: StateFolder;
  readonly keys: TimelineKeys;
  readonly log: Log;
}

export class SnapshotMaker {
  readonly #parts: SnapshotMakerParts;
  readonly #turns = new FairTurns(SNAPSHOTS_MADE_AT_ONCE_MAX);
  /** By timeline and position. One for each position at which actors wait. */
  readonly #making = new Map<string, Turn<Snapshots | null>>();

  constructor(parts: SnapshotMakerParts) {
    this.#parts = parts;
  }

  /** Resolves with null if they cannot be made. */
  make(timeline: SharedTimeline, position: number, accountId: string): Promise<Snapshots | null> {
    const key = this.#parts.keys.of(timeline);
    const name = `${position} ${key}`;
    let turn = this.#making.get(name);
    if (turn === undefined) {
      turn = this.#turns.run(accountId, () => this.#make(key, timeline, position));
      this.#making.set(name, turn);
      void turn.result.finally(() => this.#making.delete(name));
    } else {
      turn.alsoFor(accountId);
    }
    return turn.result;
  }

  /** The body of one snapshot, as it is sent; null if the feed has no update before the position. */
  async body(timeline: SharedTimeline, position: number, feed: number): Promise<Uint8Array | null> {
    const { folder, keys } = this.#parts;
    const { feedId } = FEEDS[feed]!;
    const question = { key: keys.of(timeline), timeline, position, feedIds: [feedId] };
    const [state] = await inParts(position, () => folder.fold(question));
    return state === undefined ? null : Buffer.from(snapshotBody(state));
  }

  async #make(key: string, timeline: SharedTimeline, position: number): Promise<Snapshots | null> {
    const { folder, log } = this.#parts;
    try {
      return await inParts(position, () => folder.snapshots({ key, timeline, position }));
    } catch (error) {
      log.error({ position, err: error as Error }, 'could not make snapshots; they are asked for again');
      return null;
    }
  }
}
