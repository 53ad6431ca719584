// A hub of streams under a clock that the test moves, live timelines that the test writes, and clients that take down what
// they get.

import type { FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import type { DeliveryActivity } from '#engine/delivery/meter/delivery-activity.ts';
import { StreamHub } from '#engine/delivery/stream/stream-hub.ts';
import type { LaneOrder } from '#engine/delivery/stream/stream-lane.ts';
import type { StreamTimeline } from '#engine/delivery/stream/stream-timeline.ts';
import type { SessionPlace, StreamEnd, StreamSink, UpdateStream } from '#engine/delivery/stream/update-stream.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { smallMemory, WrittenTimeline } from './live-timelines.ts';
import { SimulatedTime } from './simulated-time.ts';

/** All updates of one feed. */
export const ALL_TIMING: FilteredFeeds = feedsOf(['timing.data']);

export function feedsOf(feedIds: readonly FeedId[]): FilteredFeeds {
  return { filters: {}, subscriptions: feedIds.map((feedId) => ({ feedId, filters: {}, active: true })) };
}

export const NO_DELIVERIES: DeliveryActivity = { underWay: () => 0, isRecent: () => false };

/** The stage sends bodies as they are. */
const UPDATE = /"sessionId":"([^"]+)","sequence":(\d+)/g;

export interface Got {
  readonly sessionId: string;
  readonly sequence: number;
}

/** What a client reads: updates in order, and where it stands. */
export class StreamClient implements StreamSink {
  readonly got: Got[] = [];
  /** Where it stands, as it would say when it comes back. */
  places: readonly SessionPlace[] = [];
  pings = 0;
  flushes = 0;
  end: StreamEnd | null = null;
  /** Updates by whether they were of the demo session. */
  readonly counted = { demo: 0, month: 0 };
  /** Whether it reads. */
  reads = true;
  #added: { got: Got; places: readonly SessionPlace[] | null }[] = [];

  send(updates: Uint8Array): boolean {
    this.flushes++;
    for (const [, sessionId, sequence] of Buffer.from(updates).toString().matchAll(UPDATE)) {
      const got = { sessionId: sessionId!, sequence: Number(sequence) };
      this.got.push(got);
      this.places = [got];
    }
    return this.reads;
  }

  add(timeline: StreamTimeline, position: number, places: readonly SessionPlace[] | null): number {
    const { sessionId } = timeline.timeline.info;
    this.#added.push({ got: { sessionId, sequence: position + 1 }, places });
    return timeline.encoded(position).length;
  }

  flush(): boolean {
    this.flushes++;
    for (const { got, places } of this.#added.splice(0)) {
      this.got.push(got);
      this.places = places ?? [got];
    }
    return this.reads;
  }

  place(places: readonly SessionPlace[]): boolean {
    this.places = places;
    return this.reads;
  }

  ping(): boolean {
    this.pings++;
    return this.reads;
  }

  /** The sequences of a session that it got. */
  sequences(sessionId = 'small-race'): number[] {
    return this.got.filter((one) => one.sessionId === sessionId).map(({ sequence }) => sequence);
  }
}

export class StreamStage {
  readonly time = new SimulatedTime();
  readonly hub: StreamHub;
  readonly allowance = allowanceCell();
  readonly #watches = new Set<{ readonly sessionId: string; readonly changed: () => void }>();
  readonly #later: (() => void)[] = [];
  /** Attempts of deliveries. */
  underWay = (): number => 0;
  /** Whether any were of late. */
  delivers = true;
  /** How often an update was encoded. */
  encoded = 0;

  constructor() {
    this.hub = new StreamHub({
      clock: this.time,
      encode: (timeline, position) => {
        this.encoded++;
        return timeline.body(position);
      },
      watch: ({ timeline }, changed) => {
        const watch = { sessionId: timeline.info.sessionId, changed };
        this.#watches.add(watch);
        return () => this.#watches.delete(watch);
      },
      later: (work) => this.#later.push(work),
      hold: (ms) => this.time.spend(ms),
      deliveries: { underWay: () => this.underWay(), isRecent: () => this.delivers },
    });
  }

  /** How many live timelines are watched. */
  get watched(): number {
    return this.#watches.size;
  }

  /** Something was published, of this session or of any. */
  changed(of?: string): void {
    for (const { sessionId, changed } of [...this.#watches]) if (of === undefined || of === sessionId) changed();
  }

  /** Runs what the hub has put off, once. Returns whether there was anything. */
  round(): boolean {
    const works = this.#later.splice(0);
    for (const work of works) work();
    return works.length > 0;
  }

  /** Runs what the hub has put off until there is nothing left. */
  settle(): void {
    while (this.round());
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.time.nowMs() + ms;
    do await this.rounds();
    while (await this.time.step(untilMs));
    await this.time.pass(untilMs - this.time.nowMs());
  }

  /** Runs what the hub puts off until there is nothing left, also what it puts off after a promise. */
  async rounds(): Promise<void> {
    do {
      this.settle();
      await this.time.pass(0);
    } while (this.#later.length > 0);
  }

  join(
    client: StreamClient,
    { feeds = ALL_TIMING, endless = false, awaited = [] as readonly SessionPlace[] } = {},
  ): UpdateStream {
    const stream: UpdateStream = this.hub.join({
      feeds,
      endless,
      awaited,
      sink: client,
      listener: {
        sent: (_feed, isDemo, updates) => {
          client.counted[isDemo ? 'demo' : 'month'] += updates;
        },
        ended: (end) => {
          client.end = end;
          this.hub.leave(stream);
        },
      },
    });
    return stream;
  }

  order(memory: LiveMemory, order: Partial<LaneOrder> = {}): LaneOrder {
    return {
      key: memory.head.sessionId,
      shared: memory,
      sessionId: memory.head.sessionId,
      from: 0,
      pace: { kind: 'live' },
      isDemo: false,
      allowance: this.allowance,
      ...order,
    };
  }
}

/** A live timeline of this session with room for thousands of updates. */
export function written(sessionId = 'small-race', bytes = 256 * 1_024): WrittenTimeline {
  return new WrittenTimeline(smallMemory(bytes, { sessionId, seriesId: 'f1' }));
}
