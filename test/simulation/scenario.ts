// What happens in one simulation, as plain data. A scenario is drawn from a seed, printed when it fails, and minimised
// by leaving parts of it out. Times are simulated milliseconds since the beginning.

import { monthOf } from '#engine/delivery/usage/month.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

/** How a receiver behaves (receivers.ts). */
export type Temper =
  | 'fast'
  | 'slow'
  | 'flapping'
  /** Healthy except for one long outage. */
  | 'outage'
  | 'dead'
  | 'hang'
  | 'late'
  | 'reset'
  | 'gone'
  | 'busy'
  | 'unavailable'
  | 'redirect'
  | 'moody'
  /** The sender's own transport throws: rarely, or half of the time. */
  | 'defect'
  | 'broken';

export interface AccountPlan {
  readonly name: string;
  /** Attempts that its first month, and the month after, have left; null: no limit. */
  readonly left: number | null;
}

export interface EndpointPlan {
  readonly name: string;
  readonly account: string;
  readonly temper: Temper;
  /** When it is created; 0 if it exists from the beginning. */
  readonly bornMs: number;
  /** True: `bornMs` counts back from the end of the live session. */
  readonly atEnd: boolean;
  /** Its URL points to this machine. */
  readonly loopback: boolean;
  /** It gets snapshots before its first update. */
  readonly snapshot: boolean;
  readonly filters: FilterSpec;
  readonly feeds: readonly { readonly feedId: FeedId; readonly filters: FilterSpec }[];
}

export interface ReplayPlan {
  readonly name: string;
  readonly account: string;
  readonly atMs: number;
  readonly speed: number;
  readonly allFeeds: boolean;
  readonly ordered: boolean;
  /** The endpoints that it goes to; null: all that the account has then. */
  readonly chosen: readonly string[] | null;
}

export interface TimelinePlan {
  readonly seed: number;
  readonly updates: number;
  /** Mean time between two updates. */
  readonly everyMs: number;
  /** Many updates have the same time as the one before. */
  readonly bursts: boolean;
}

/**
 * A fault of the database: slow, refusing some commits, losing the confirmation of some, unreadable, away, or silent: it
 * answers nothing, and may do what it was told at any time.
 */
export type Weather = 'slow' | 'failing' | 'unsure' | 'unreadable' | 'away' | 'silent';

export type ScenarioEvent = { readonly atMs: number } /** At once, or as soon as it has sent a commit. */ & (
  | { readonly kind: 'shard.dies'; readonly shard: number; readonly committing: boolean }
  | { readonly kind: 'process.dies'; readonly downMs: number }
  | { readonly kind: 'process.drains'; readonly downMs: number }
  | { readonly kind: 'live-thread.dies' }
  | { readonly kind: 'weather'; readonly weather: Weather; readonly forMs: number }
  | { readonly kind: 'pause' | 'unpause' | 'move' | 'rotate'; readonly endpoint: string }
  | { readonly kind: 'delete'; readonly endpoint: string }
  | { readonly kind: 'filter'; readonly endpoint: string; readonly filters: FilterSpec }
  | { readonly kind: 'stop'; readonly run: string }
  /** What the endpoint has missed of a replay, or of the live session (null), is to be sent again. */
  | {
      readonly kind: 'resend';
      readonly of: string | null;
      readonly to: string;
      readonly outcome: 'failed' | 'skipped' | null;
    }
  /** A replay is paused, and continues. */
  | { readonly kind: 'hold' | 'release'; readonly run: string }
  /** A replay jumps over so many updates. */
  | { readonly kind: 'seek'; readonly run: string; readonly over: number }
  /** The deliveries of the live session expire, if it has ended. */
  | { readonly kind: 'expire' }
  | { readonly kind: 'clock'; readonly stepMs: number }
  | { readonly kind: 'stall'; readonly forMs: number }
  /** The oldest rows of the journal are folded; or not, because that is interrupted after so many pages. */
  | { readonly kind: 'fold'; readonly rows: number; readonly interruptedAfter: number | null }
);

export interface Scenario {
  readonly seed: number;
  readonly startWallMs: number;
  readonly shards: number;
  /** The longest time that a message between threads takes. */
  readonly messageMsMax: number;
  /** Whether live updates may go to URLs of this machine. */
  readonly liveToLocalhost: boolean;
  /** Checkpoints that every commit may write as rows (R8). */
  readonly checkpointsAtOnceMax: number;
  /** How long sending a request occupies its thread. */
  readonly sendingMs: number;
  /** The attempts that a shard may have under way. */
  readonly slots: number;
  /** Whether the engine's own connections carry the requests, over simulated sockets. */
  readonly overSockets: boolean;
  /** From here on receivers are healthy, the database has no faults and nothing dies. */
  readonly faultsEndMs: number;
  readonly timeline: TimelinePlan;
  readonly accounts: readonly AccountPlan[];
  readonly endpoints: readonly EndpointPlan[];
  readonly replays: readonly ReplayPlan[];
  /** Each process has another version of the deriver than the one before. */
  readonly upgrades: boolean;
  /** The share of questions for snapshots that are answered late, badly or never. */
  readonly snapshotsFail: number;
  /** When the session of the timeline begins live; null if it does not. */
  readonly liveAtMs: number | null;
  /** From its last update to its end. */
  readonly sealAfterMs: number;
  readonly events: readonly ScenarioEvent[];
}

export type EndpointEvent = Extract<ScenarioEvent, { readonly endpoint: string }>;

/** The attempts per month of an account with a limit. In the first two months all but what is left count as used. */
export const BUCKET = 5_000;

/** How many attempts an account with a limit can make in a month. */
export function roomIn({ startWallMs }: Pick<Scenario, 'startWallMs'>, left: number, month: string): number {
  const first = monthOf(startWallMs);
  return [first.firstDay, monthOf(first.endsMs).firstDay].includes(month) ? left : BUCKET;
}
