// The states of a session's feeds at any position of its timeline: what the updates before it leave behind. They come
// from the bodies that were published and from nothing else, so a receiver that folds what it got has the same ones.
//
// Folding a whole race takes up to a second or two. So states are kept every STATE_STEP_UPDATES_MAX, and the next question
// about the session folds what is missing. Which question comes first changes nothing: a kept state is what folding from
// the start gives, byte for byte.

import { LRUCache } from 'lru-cache';
import { assert } from '#engine/base/assert.ts';
import { STATE_FOLD_UPDATES_MAX, STATE_STEP_UPDATES_MAX, STATES_KEPT_BYTES_MAX } from '#engine/base/limits.ts';
import { FEED_STATES, type FeedState } from '#schemas/webhook/feed-states.ts';
import { FEEDS, type FeedId, feedNumber } from '#schemas/webhook/feeds.ts';
import { type Fields, foldPayload } from './feed-fold.ts';
import type { Timeline } from './timeline.ts';

/** By feed number. */
const RULES: readonly FeedState[] = FEEDS.map(({ feedId }) => FEED_STATES[feedId]);
/** A JavaScript string takes up to two bytes for a character. */
const CHAR_BYTES_MAX = 2;

/** By feed number. Only of feeds whose updates have changes; of others the last update is the state. */
type States = Map<number, Fields>;

export class FoldedStates {
  /** States as JSON text, by timeline and position. */
  readonly #kept = new LRUCache<string, ReadonlyMap<number, string>>({
    maxSize: STATES_KEPT_BYTES_MAX,
    sizeCalculation: (texts) =>
      Array.from(texts.values()).reduce((bytes, text) => bytes + CHAR_BYTES_MAX * text.length, 1),
  });

  /**
   * Returns the state of each of these feeds after the first `position` updates, as JSON text, without those that have
   * none. `key` names the timeline: it is the same for the same updates, and for no others. Null if that takes more than
   * STATE_FOLD_UPDATES_MAX: the next call resumes from what this one has kept.
   */
  at(key: string, timeline: Timeline, position: number, feedIds: readonly FeedId[]): string[] | null {
    assert(position <= timeline.length, 'states are asked for within the timeline');
    const last = lastPositions(timeline, position);
    const changing = feedIds.some((feedId) => FEED_STATES[feedId].kind === 'changes');
    const states: States | null = changing ? this.#fold(key, timeline, position) : new Map();
    if (states === null) return null;
    const texts: string[] = [];
    for (const feedId of feedIds) {
      const feed = feedNumber(feedId)!;
      const { kind } = RULES[feed]!;
      if (kind === 'none' || last[feed] === -1) continue;
      texts.push(kind === 'latest' ? textAt(timeline, last[feed]!) : JSON.stringify(states.get(feed)));
    }
    return texts;
  }

  /** Null if not all of it is folded. */
  #fold(key: string, timeline: Timeline, to: number): States | null {
    const { feed } = timeline.columns;
    const [from, states] = this.#nearest(key, to);
    const end = Math.min(to, from + STATE_FOLD_UPDATES_MAX);
    for (let position = from; position < end; position++) {
      const rule = RULES[feed[position]!]!;
      if (rule.kind === 'changes') {
        const state = states.get(feed[position]!) ?? {};
        states.set(feed[position]!, state);
        foldPayload(state, JSON.parse(textAt(timeline, position)), rule.fields);
      }
      if ((position + 1) % STATE_STEP_UPDATES_MAX === 0) this.#keep(key, position + 1, states);
    }
    return end === to ? states : null;
  }

  /** The kept states that are nearest before a position, and theirs. */
  #nearest(key: string, position: number): [position: number, states: States] {
    for (let from = position - (position % STATE_STEP_UPDATES_MAX); from > 0; from -= STATE_STEP_UPDATES_MAX) {
      const texts = this.#kept.get(keyOf(key, from));
      if (texts !== undefined) return [from, new Map(Array.from(texts, ([feed, text]) => [feed, JSON.parse(text)]))];
    }
    return [0, new Map()];
  }

  #keep(key: string, position: number, states: States): void {
    const texts = new Map(Array.from(states, ([feed, state]) => [feed, JSON.stringify(state)]));
    this.#kept.set(keyOf(key, position), texts);
  }
}

function keyOf(key: string, position: number): string {
  return `${position} ${key}`;
}

/** By feed number: where its last update before `end` is; -1 without one. */
function lastPositions({ columns }: Timeline, end: number): Int32Array {
  const last = new Int32Array(FEEDS.length).fill(-1);
  for (let position = 0; position < end; position++) last[columns.feed[position]!] = position;
  return last;
}

function textAt({ columns }: Timeline, position: number): string {
  const { bodies, bodyStart } = columns;
  const start = bodyStart[position]!;
  return Buffer.from(bodies.buffer, bodies.byteOffset + start, bodyStart[position + 1]! - start).toString();
}
