// Pausing, continuing and moving replays.
//
// RC1 The engine lets go of a run before it is paused or moved: its attempts under way end, and its checkpoints are
//     recorded. So nobody but this service changes where its endpoints are, and what was matched adds up (I1). A run that is
//     being resumed, after a restart or at a new home, is let go of when it is.
// RC2 A seek moves every endpoint that is not there yet. What is between was never matched: it is neither delivered nor
//     skipped, and counts nowhere. Updates that wait for a retry keep their retries.
// RC3 A run that delivers only moves forward, because an update has one delivery in a run, and one id
//     (docs/decisions/0031-a-replay-that-delivers-does-not-move-back.md).
// RC4 A paused run holds no memory of the engine, no artifact and no allowance, unless its stream is open. It is stopped
//     after RUN_PAUSED_MS_MAX, also over restarts.
// RC5 What is asked for is in the run's row before it is answered. What this process does not live to do, the next one
//     does before it plays the run. The engine follows the row: of a pause and a resume the last one counts.
// RC6 A run that cannot go on, because there is no room for its artifact or the database is away, is paused: it can be
//     resumed, moved and stopped. At a start it is paused only for want of room; without the database there is no start.

import { ApiError } from '#api/http/api-error.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { isId } from '#engine/base/ids.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { RUN_PAUSED_MS_MAX, STOP_WAIT_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import { sequenceOf, type Timeline } from '#engine/timeline/timeline.ts';
import type { PlayingRun } from './playing-run.ts';
import { reopenedTimeline } from './reopened-timeline.ts';
import { positionOfPlace, type ReplayPlace } from './replay-place.ts';
import { pacedFrom } from './run-handover.ts';
import type { RunRecord, RunStore, ShownState } from './run-store.ts';
import type { Runs } from './runs.ts';

export interface RunControlParts {
  readonly store: RunStore;
  readonly library: PlaybackLibrary;
  readonly clock: TimerClock;
  readonly log: Log;
}

export interface Controlled {
  readonly runId: string;
  readonly state: ShownState;
  readonly position: number;
  /** False while attempts under way are still ending. */
  readonly isDone: boolean;
}

export class RunControl {
  readonly #parts: RunControlParts;
  readonly #runs: Runs;
  /** By run: pauses and resumes are noted one after the other (RC5). */
  readonly #notes = new KeyedMutex();

  constructor(parts: RunControlParts, runs: Runs) {
    this.#parts = parts;
    this.#runs = runs;
  }

  async pause(accountId: string, runId: string): Promise<Controlled> {
    const { run } = await this.#running(accountId, runId);
    await this.#notes.run(runId, async () => {
      if (run.paused) return;
      await this.#parts.store.pause(runId, new Date(this.#parts.clock.wallMs()));
      run.paused = true;
      this.#runs.boundPause(run, RUN_PAUSED_MS_MAX);
    });
    return this.#change(accountId, run, async () => {
      if (!run.paused) return;
      run.hold();
      await this.#letGo(run);
    });
  }

  async resume(accountId: string, runId: string): Promise<Controlled> {
    const { run } = await this.#running(accountId, runId);
    await this.#notes.run(runId, async () => {
      if (!run.paused) throw new ApiError('not_paused');
      await this.#parts.store.pause(runId, null);
      run.cancelPauseBound();
      run.paused = false;
    });
    return this.#change(accountId, run, async () => {
      await run.whenParked;
      // A later pause counts, and what the engine never let go of continues by itself.
      if (run.paused || run.delivering) return;
      const { record } = await this.#running(accountId, runId);
      await this.#proceed(run, record, this.#runs.positionOf(record), null);
    });
  }

  async seek(accountId: string, runId: string, place: ReplayPlace): Promise<Controlled> {
    const { run, record } = await this.#running(accountId, runId);
    const position = await this.#withTimeline(run, record, (timeline) =>
      positionOfPlace(place, timeline, 'invalid_body'),
    );
    const delivers = record.sinks !== 'visual';
    if (delivers) await this.#accept(accountId, record, position);
    return this.#change(accountId, run, async () => {
      run.hold();
      await this.#letGo(run);
      const { record: now } = await this.#running(accountId, runId);
      if (delivers) await this.#runs.persist(() => this.#parts.store.seek(runId, position));
      const to = delivers ? Math.max(position, this.#runs.positionOf(now)) : position;
      if (run.paused) run.proceed(to);
      else await this.#proceed(run, now, to, to);
    });
  }

  /** RC3, RC5 */
  async #accept(accountId: string, record: RunRecord, position: number): Promise<void> {
    const { runId, sessionId, sinks } = record;
    const isAhead = position >= this.#runs.positionOf(record);
    if (isAhead && (await this.#parts.store.acceptSeek(runId, position))) return;
    await this.#running(accountId, runId);
    const sequence = sequenceOf(position);
    throw new ApiError(
      'seek_back',
      'A replay that delivers goes forward only, because each update has one delivery in it: stop it with ' +
        `DELETE /v1/simulate/stream?runId=${runId} and start another one there with ` +
        `GET /v1/simulate/stream?session=${sessionId}&sinks=${sinks}&sequence=${sequence}.`,
    );
  }

  /** `shown`: where the stream continues; null: where it is. */
  async #proceed(run: PlayingRun, record: RunRecord, position: number, shown: number | null): Promise<void> {
    // A stop hands the run to the engine itself.
    if (run.phase.kind !== 'playing') return;
    if (record.sinks === 'visual') {
      run.pacedFromMs = pacedFrom(position, run.artifact!.timeline, run.head.speed, this.#parts.clock);
    } else if (!(await this.#runs.continueRun(run, record, position))) {
      return;
    }
    run.proceed(shown);
  }

  /** RC1 */
  async #letGo(run: PlayingRun): Promise<void> {
    this.#runs.park(run);
    await run.whenParked;
  }

  /** Makes a change after all earlier ones, and waits a moment for its end. */
  async #change(accountId: string, run: PlayingRun, change: () => Promise<void>): Promise<Controlled> {
    const { store, clock, log } = this.#parts;
    const { runId } = run.head;
    let isDone = false;
    const work = this.#runs.turns.run(runId, async () => {
      if (run.phase.kind !== 'playing') throw new ApiError('not_running');
      await change().catch(async (error: Error) => {
        // RC6
        await this.#notes.run(runId, () => this.#runs.pauseAgain(run));
        throw error;
      });
      isDone = true;
    });
    work.catch((error: Error) => {
      if (!(error instanceof ApiError)) log.error({ runId, err: error }, 'could not change a replay run');
    });
    await Promise.race([work, clock.sleep(STOP_WAIT_MS)]);
    const record = (await store.find(accountId, runId))!;
    return { runId, state: shownState(record), position: this.#runs.positionOf(record), isDone };
  }

  async #running(accountId: string, runId: string): Promise<{ run: PlayingRun; record: RunRecord }> {
    const record = isId('run', runId) ? await this.#parts.store.find(accountId, runId) : null;
    if (record === null) throw new ApiError('not_found', 'There is no such run: GET /v1/simulate/runs lists yours.');
    if (record.kind === 'resend') throw new ApiError('not_a_replay');
    const run = this.#runs.playing(runId);
    if (run === undefined || record.state !== 'running' || run.phase.kind !== 'playing')
      throw new ApiError('not_running');
    return { run, record };
  }

  async #withTimeline<Result>(
    run: PlayingRun,
    record: RunRecord,
    use: (timeline: Timeline) => Result,
  ): Promise<Result> {
    if (run.artifact !== null) return use(run.artifact.timeline);
    const opened = await reopenedTimeline(this.#parts.library, record, async () => null);
    if (opened === null || opened === 'other') throw new ApiError('not_prepared');
    try {
      return use(opened.timeline);
    } finally {
      opened.release();
    }
  }
}

export function shownState({ state, pausedAt }: Pick<RunRecord, 'state' | 'pausedAt'>): ShownState {
  return state === 'running' && pausedAt !== null ? 'paused' : state;
}
