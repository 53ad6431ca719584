// The demo race for visitors without an account, on the first page: each sees it from its beginning, ten times as fast, as
// a visual replay would show it. Bounded in all and by address; nothing of it is counted or delivered.

import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '#api/http/api-error.ts';
import { limitGroup } from '#api/http/client-address.ts';
import type { EventChannel } from '#api/http/event-channel.ts';
import { Shares } from '#api/http/shares.ts';
import { readyArtifact } from '#api/simulate/ready-artifact.ts';
import { VisualStream } from '#api/simulate/visual-stream.ts';
import type { Clock } from '#engine/base/clock.ts';
import { DEMO_PREPARATION_MS, DEMO_VISITORS_ADDRESS_MAX, DEMO_VISITORS_MAX } from '#engine/base/limits.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

const SESSION_ID = 'demo-race';
const SPEED = 10;
const POLL_MS = 50;
/** What the first page shows. */
const FEEDS: ReadonlySet<string> = new Set([
  'session.status',
  'lap.count',
  'timing.data',
  'timing.driver-info',
  'tire.stints',
  'race-control.messages',
  'track.status',
  'events.race',
]);

export class DemoShow {
  readonly #library: Pick<PlaybackLibrary, 'open' | 'status' | 'prepare'>;
  readonly #clock: Clock;
  readonly #shares = new Shares(DEMO_VISITORS_ADDRESS_MAX);
  #visitors = 0;

  constructor(library: Pick<PlaybackLibrary, 'open' | 'status' | 'prepare'>, clock: Clock) {
    this.#library = library;
    this.#clock = clock;
  }

  /** Resolves with how to begin. Rejects with an ApiError when too many watch, or when the race is not prepared yet. */
  async admit(clientIp: string): Promise<(channel: EventChannel) => void> {
    const address = limitGroup(clientIp);
    if (this.#visitors >= DEMO_VISITORS_MAX || !this.#shares.take(address))
      throw new ApiError('unavailable', 'Too many visitors watch the demo race: try again in a minute.', {
        'retry-after': '60',
      });
    this.#visitors++;
    const leave = (): void => {
      this.#visitors--;
      this.#shares.give(address);
    };
    try {
      const { timeline, release } = await this.#artifact();
      return (channel) =>
        this.#show(timeline, channel, () => {
          release();
          leave();
        });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** The race, prepared when its first visitor comes. */
  async #artifact(): Promise<OpenArtifact> {
    const { status } = await this.#library.status(SESSION_ID);
    if (status === 'none') await this.#library.prepare(SESSION_ID);
    for (let waitedMs = 0; waitedMs < DEMO_PREPARATION_MS; waitedMs += POLL_MS) {
      if ((await this.#library.status(SESSION_ID)).status !== 'preparing') break;
      await pause(POLL_MS);
    }
    return readyArtifact(this.#library, SESSION_ID);
  }

  /** `left`: called once. */
  #show(timeline: Timeline, channel: EventChannel, left: () => void): void {
    // What comes before the start is shown at once: it says who drives.
    const pacedFromMs = this.#clock.nowMs() - startMs(timeline) / SPEED;
    const run = { runId: 'demo', sessionId: SESSION_ID, speed: SPEED, pacedFromMs };
    const stream: VisualStream = new VisualStream({
      run,
      timeline,
      from: 0,
      isPaused: false,
      feeds: FEEDS,
      channel,
      clock: this.#clock,
      onEvent: (event) => {
        if (event === 'played') queueMicrotask(() => stream.finish('completed'));
        left();
      },
    });
  }
}

/** When the race starts, from its first update. */
function startMs(timeline: Timeline): number {
  for (let position = 0; position < timeline.length; position++) {
    if (timeline.feedId(position) !== 'session.status') continue;
    const { data } = JSON.parse(Buffer.from(timeline.body(position)).toString()) as { data: { status: string } };
    if (data.status === 'started') return timeline.columns.dueMs[position]!;
  }
  return 0;
}
