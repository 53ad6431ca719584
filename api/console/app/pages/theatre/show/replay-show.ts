// A replay that the page watches: played, paused, moved and played at another speed.
//
// A move goes through the run itself, and the state of the new place is shown before the updates that follow it. What an
// earlier move still waited for is dropped when another one has begun. For another speed the page comes back to its run with
// that speed. A run that is over is played again by another one. Runs that deliver do neither: their deliveries keep their
// pace, and a new run would deliver again.

import { signal } from '@preact/signals';
import type { ServerEvent } from '#api/client/event-reader.ts';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../../data/service.ts';
import { type ReplayOrder, replayEvents } from './replay-events.ts';
import { SeekGate } from './seek-gate.ts';
import type { Show, ShownStage, ShowState } from './show.ts';
import { updateOfText } from './shown-update.ts';
import type { ShownUpdate } from './updates.ts';

export interface ShownRun {
  readonly runId: string;
  readonly speed: number;
  readonly updateCount: number;
}

interface RunNews extends ShownRun {
  readonly state: 'running' | 'paused' | 'stopping' | 'stopped' | 'completed';
}

export interface ReplaySettings {
  readonly speed: number;
  readonly sinks: 'visual' | 'both';
  /** When the session began: the zero of `seconds`. */
  readonly startMs: number;
}

/** From where to play. `seconds`: since the beginning of the session. */
type Place =
  | { readonly kind: 'beginning' }
  /** `arrive` is called with the position, once the run plays from there. */
  | { readonly kind: 'time'; readonly seconds: number; readonly arrive: (position: number) => void }
  /** The run that is shown continues behind what was seen of it. */
  | { readonly kind: 'seen'; readonly sequence: number };

export class ReplayShow implements Show {
  readonly stage: ShownStage;
  readonly sinks: 'visual' | 'both';
  readonly #startMs: number;
  readonly #report: (problem: string) => void;
  readonly #state = signal<ShowState>({ kind: 'starting' });
  readonly #run = signal<ShownRun | null>(null);
  readonly #speed;
  readonly #gate = new SeekGate();
  #leaving = new AbortController();
  #isMoving = false;
  /** Counts the moves: what an earlier one waited for moves nothing any more. */
  #course = 0;
  /** What the show does when nothing moves it. */
  #unmoved: ShowState = { kind: 'playing' };
  #playedSpeed: number;
  /** Where to move to when the present move has ended. */
  #wish: number | null = null;
  /** The last update that is shown, or the place that the show was moved to. */
  #seen = 0;

  /** `report`: says what a control could not do. */
  constructor(stage: ShownStage, { speed, sinks, startMs }: ReplaySettings, report: (problem: string) => void) {
    this.stage = stage;
    this.sinks = sinks;
    this.#startMs = startMs;
    this.#speed = signal(speed);
    this.#playedSpeed = speed;
    this.#report = report;
  }

  get state() {
    return this.#state;
  }

  get run() {
    return this.#run;
  }

  get speed() {
    return this.#speed;
  }

  /** Plays from the beginning, whatever was shown before. */
  begin(): void {
    this.#course++;
    this.#isMoving = false;
    this.#wish = null;
    if (this.stage.atMs !== null) this.stage.rewind(this.#startMs);
    this.#state.value = { kind: 'starting' };
    void this.#play({ kind: 'beginning' });
  }

  leave(): void {
    this.#leaving.abort();
  }

  async pause(): Promise<void> {
    await this.#control((runId) => service.pauseRun({ runId }));
  }

  async resume(): Promise<void> {
    await this.#control((runId) => service.resumeRun({ runId }));
  }

  /** Ends the run, and its deliveries. */
  async stop(): Promise<void> {
    await this.#control((runId) => service.stopRun({ runId }));
  }

  /** Moves to a place, in seconds since the beginning of the session. Of several wishes the last one counts. */
  async seek(seconds: number): Promise<void> {
    if (this.#run.value === null) return;
    this.#wish = seconds;
    // The move of a run that is over by now is not waited for.
    if (this.#isMoving && this.#state.value.kind !== 'ended') return;
    const course = ++this.#course;
    this.#isMoving = true;
    while (this.#wish !== null) {
      const place: number = this.#wish;
      this.#wish = null;
      if (this.#state.value.kind !== 'ended') await this.#move(this.#run.value.runId, place, course);
      else if (this.sinks === 'visual') await this.#restart(place, course);
      if (course !== this.#course) return;
    }
    this.#isMoving = false;
    if (this.#state.value.kind === 'moving') this.#state.value = this.#unmoved;
    void this.#changeSpeed();
  }

  async setSpeed(speed: number): Promise<void> {
    if (this.sinks !== 'visual') return;
    this.#speed.value = speed;
    // Otherwise the speed changes when the move has ended.
    if (!this.#isMoving) await this.#changeSpeed();
  }

  async #changeSpeed(): Promise<void> {
    const run = this.#run.value;
    if (this.#speed.value === this.#playedSpeed || run === null) return;
    if (this.#state.value.kind === 'ended' || this.#seen >= run.updateCount) return;
    this.#state.value = { kind: 'moving' };
    await this.#play({ kind: 'seen', sequence: this.#seen });
  }

  /** Plays from a place as another run. Resolves when the place is shown, or cannot be. */
  async #restart(seconds: number, course: number): Promise<void> {
    const run = this.#run.value;
    this.#leaving.abort();
    this.#state.value = { kind: 'moving' };
    try {
      if (run !== null) await service.stopRun({ runId: run.runId });
    } catch (failure) {
      if (!(failure instanceof SlipstreamError)) throw failure;
      // It is over already, or the start says what is wrong.
    }
    await new Promise<void>((shown, failed) => {
      const arrive = (position: number): void => void this.#arrive(position, seconds, true, course).then(shown, failed);
      this.#play({ kind: 'time', seconds, arrive }).then(shown, failed);
    });
  }

  async #play(place: Place): Promise<void> {
    this.#playedSpeed = this.#speed.value;
    const before = this.#leaving;
    const leaving = new AbortController();
    leaving.signal.addEventListener('abort', () => before.abort());
    this.#leaving = leaving;
    const order: ReplayOrder = {
      session: this.stage.sessionId,
      speed: this.#speed.value,
      sinks: this.sinks,
      ...(place.kind === 'time' && { time: this.#timeAt(place.seconds) }),
    };
    const lastId = place.kind === 'seen' ? String(place.sequence) : '';
    // Another speed continues what is shown; another place needs its state first.
    this.#gate.reopen();
    if (place.kind === 'time') this.#gate.close();
    let isNew = true;
    try {
      for await (const news of replayEvents(order, lastId, leaving.signal)) {
        // A connection that is about to replace this one goes on behind what was seen.
        if (this.#leaving !== leaving) continue;
        if (news.kind === 'interrupted') {
          this.#state.value = { kind: 'interrupted' };
          continue;
        }
        for (const event of news.events) {
          if (event.event !== 'run') {
            this.#take(event);
            continue;
          }
          this.#follow(JSON.parse(event.data) as RunNews);
          if (!isNew) continue;
          isNew = false;
          before.abort();
          this.#gate.begin(Number(event.id));
          this.#seen = Number(event.id);
          if (place.kind === 'time') place.arrive(Number(event.id));
          else if (!this.#isMoving) void this.#changeSpeed();
        }
      }
      // Another page shows the run from now on.
      if (this.#leaving === leaving && this.#state.value.kind !== 'ended')
        this.#state.value = { kind: 'ended', how: 'left' };
    } catch (failure) {
      if (leaving.signal.aborted || this.#leaving !== leaving) return;
      if (!(failure instanceof SlipstreamError)) throw failure;
      before.abort();
      this.#state.value = { kind: 'failed', error: failure };
    }
  }

  #take({ event, data }: ServerEvent): void {
    const update = updateOfText(event, data);
    if (update !== null && this.#gate.admits(update)) this.#show(update);
  }

  #show(update: ShownUpdate): void {
    this.#seen = update.sequence;
    this.stage.take(update);
  }

  #follow({ state, ...run }: RunNews): void {
    if (this.#run.value?.runId !== run.runId) this.#run.value = run;
    if (state === 'completed' || state === 'stopped') {
      this.#state.value = { kind: 'ended', how: state };
      return;
    }
    if (state === 'stopping') return;
    this.#unmoved = { kind: state === 'paused' ? 'paused' : 'playing' };
    if (!this.#isMoving) this.#state.value = this.#unmoved;
  }

  async #move(runId: string, seconds: number, course: number): Promise<void> {
    this.#state.value = { kind: 'moving' };
    this.#gate.close();
    try {
      const { position } = await service.seekRun({ runId, time: this.#timeAt(seconds) });
      if (course === this.#course) await this.#arrive(position, seconds, this.#gate.isBack(position), course);
    } catch (failure) {
      if (course !== this.#course) return;
      this.#refused(failure);
      for (const update of this.#gate.reopen()) this.#show(update);
    }
  }

  /** Shows the state of a place, then the updates that came meanwhile. Without its state they fill the place by and by. */
  async #arrive(position: number, seconds: number, isBack: boolean, course: number): Promise<void> {
    const states = await this.#statesAt(position);
    if (course !== this.#course) return;
    const toMs = this.#startMs + seconds * 1000;
    if (isBack) this.stage.rewind(toMs);
    this.stage.takeStates(states);
    this.stage.advance(toMs);
    this.#seen = position;
    for (const update of this.#gate.open(position)) this.#show(update);
  }

  async #statesAt(position: number) {
    if (position === 0) return [];
    try {
      return (await service.getSessionState({ sessionId: this.stage.sessionId, sequence: position })).states;
    } catch (failure) {
      this.#refused(failure);
      return [];
    }
  }

  /** Recordings begin before their session does, so seconds of the one are not those of the other. */
  #timeAt(seconds: number): string {
    return new Date(this.#startMs + seconds * 1000).toISOString();
  }

  async #control(act: (runId: string) => Promise<unknown>): Promise<void> {
    const run = this.#run.value;
    if (run === null) return;
    try {
      await act(run.runId);
    } catch (failure) {
      this.#refused(failure);
    }
  }

  #refused(failure: unknown): void {
    if (!(failure instanceof SlipstreamError)) throw failure;
    this.#report(failure.message);
  }
}
