// Clients that come back to an event stream with `Last-Event-ID`, as browsers do by themselves whenever a stream ends.

import { ApiError } from '#api/http/api-error.ts';
import type { EventChannel } from '#api/http/event-channel.ts';
import type { Caller } from '#api/http/operation.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import type { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { STOP_WAIT_MS } from '#engine/base/limits.ts';
import { END_OF_STREAM } from './last-event-id.ts';
import type { PlayingRun } from './playing-run.ts';
import type { ReplayOrder } from './replay-order.ts';
import { pacedFrom } from './run-handover.ts';
import { obstacle, slotsNeeded } from './run-obstacle.ts';
import type { RunStore } from './run-store.ts';
import type { Runs } from './runs.ts';
import type { SessionRecord } from './session-store.ts';

export interface ReturnsParts {
  readonly store: RunStore;
  readonly clock: TimerClock;
  /** By account id, as for the starts of runs. */
  readonly changes: KeyedMutex;
}

/** The rest of the stream; or its run is over; or it is just ending, so that the client must come again. */
export type Return =
  | { readonly kind: 'show'; readonly show: (channel: EventChannel, authorization: string) => void }
  | { readonly kind: 'over' | 'later' };

const OVER: Return = { kind: 'over' };
const LATER: Return = { kind: 'later' };

export class Returns {
  readonly #parts: ReturnsParts;
  readonly #runs: Runs;

  constructor(parts: ReturnsParts, runs: Runs) {
    this.#parts = parts;
    this.#runs = runs;
  }

  /**
   * Continues the account's last run of the session with these sinks, behind the update that the client has seen last. A
   * run that it left is running again, as the same run. One that only shows plays at the speed that is asked for now; one
   * that delivers keeps its own. Null if the account has no such run.
   */
  async find(
    caller: Caller,
    session: SessionRecord,
    order: Pick<ReplayOrder, 'sinks' | 'speed'>,
    seen: number | typeof END_OF_STREAM,
  ): Promise<Return | null> {
    if (seen === END_OF_STREAM) return OVER;
    const found = await this.#find(caller, session, order, seen);
    if (found !== 'ending') return found;
    const again = await this.#find(caller, session, order, seen);
    return again === 'ending' ? LATER : again;
  }

  async #find(
    caller: Caller,
    session: SessionRecord,
    { sinks, speed: wanted }: Pick<ReplayOrder, 'sinks' | 'speed'>,
    seen: number,
  ): Promise<Return | 'ending' | null> {
    const { store, clock, changes } = this.#parts;
    const { accountId, plan } = caller;
    const record = await store.lastWatched(accountId, session.sessionId, sinks);
    if (record === null) return null;
    if (this.#runs.isGivenUp(record.runId)) return LATER;
    const speed = sinks === 'visual' ? wanted : record.speed;
    const show = (run: PlayingRun): Return => ({
      kind: 'show',
      show: (channel, authorization) => this.#runs.show(run, channel, { caller, authorization }, seen),
    });
    const playing = this.#runs.playing(record.runId);
    if (playing !== undefined) {
      if (playing.phase.kind === 'playing' && playing.artifact !== null) {
        if (playing.head.speed !== speed) {
          playing.changeSpeed(speed, pacedFrom(seen, playing.artifact.timeline, speed, clock));
          playing.write(() => this.#runs.persist(() => store.changeSpeed(record.runId, speed)));
        }
        return show(playing);
      }
      await Promise.race([playing.ended, clock.sleep(STOP_WAIT_MS)]);
      return 'ending';
    }
    if (record.endedAt === null) throw new ApiError('replay_running');
    if (!record.visualLeft) return OVER;
    const slots = slotsNeeded(plan, session, sinks);
    const reopened = await changes
      .run(accountId, () => store.reopen(record.runId, slots, speed))
      .catch((error: Error) => {
        // It may run in the database all the same, where nobody would play it.
        this.#runs.giveUp(record);
        throw error;
      });
    if (reopened === null) return LATER;
    if (reopened !== 'reopened') throw obstacle(reopened, slots);
    const position = sinks === 'visual' ? seen : record.deliveryPosition;
    const run = await this.#runs.playAgain({ ...record, state: 'running', speed }, position);
    return run === null ? OVER : show(run);
  }
}
