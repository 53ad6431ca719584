// A replay that the page watches: played, paused, moved and played at another speed.
//
// A move goes through the run itself, and the state of the new place is shown before the updates that follow it. For another
// speed the page comes back to its run with that speed. A run that is over is played again by another one. Runs that
// deliver do neither: their deliveries keep their pace, and a new run would deliver again.

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
  | { readonly kind: 'time'; readonly seconds: number }
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

  begin(): void {
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
    const run = this.#run.value;
    if (run === null) return;
    if (this.#state.value.kind === 'ended') {
      if (this.sinks === 'visual') await this.#restart(seconds);
      return;
    }
    this.#wish = seconds;
    if (this.#isMoving) return;
    this.#isMoving = true;
    const before = this.#state.value;
    while (this.#wish !== null) {
      const place: number = this.#wish;
      this.#wish = null;
      await this.#move(run.runId, place);
    }
    this.#isMoving = false;
    if (this.#state.value.kind === 'moving') this.#state.value = before;
  }

  async setSpeed(speed: number): Promise<void> {
    const run = this.#run.value;
    if (speed === this.#speed.value || this.sinks !== 'visual') return;
    this.#speed.value = speed;
    if (run === null || this.#state.value.kind === 'ended' || this.#seen >= run.updateCount) return;
    this.#state.value = { kind: 'moving' };
    await this.#play({ kind: 'seen', sequence: this.#seen });
  }

  /** Plays from a place as another run. */
  async #restart(seconds: number): Promise<void> {
    const run = this.#run.value;
    this.#leaving.abort();
    this.#state.value = { kind: 'moving' };
    try {
      if (run !== null) await service.stopRun({ runId: run.runId });
    } catch (failure) {
      if (!(failure instanceof SlipstreamError)) throw failure;
      // It is over already, or the start says what is wrong.
    }
    await this.#play({ kind: 'time', seconds });
  }

  async #play(place: Place): Promise<void> {
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
          if (place.kind === 'time') void this.#arrive(Number(event.id), place.seconds, true);
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
    if (state === 'completed' || state === 'stopped') this.#state.value = { kind: 'ended', how: state };
    else if (!this.#isMoving && state !== 'stopping')
      this.#state.value = { kind: state === 'paused' ? 'paused' : 'playing' };
  }

  async #move(runId: string, seconds: number): Promise<void> {
    this.#state.value = { kind: 'moving' };
    this.#gate.close();
    try {
      const { position } = await service.seekRun({ runId, time: this.#timeAt(seconds) });
      await this.#arrive(position, seconds, this.#gate.isBack(position));
    } catch (failure) {
      this.#refused(failure);
      for (const update of this.#gate.reopen()) this.#show(update);
    }
  }

  /** Shows the state of a place, then the updates that came meanwhile. */
  async #arrive(position: number, seconds: number, isBack: boolean): Promise<void> {
    const { sessionId } = this.stage;
    try {
      const { states } =
        position === 0 ? { states: [] } : await service.getSessionState({ sessionId, sequence: position });
      const toMs = this.#startMs + seconds * 1000;
      if (isBack) this.stage.rewind(toMs);
      this.stage.takeStates(states);
      this.stage.advance(toMs);
    } catch (failure) {
      this.#refused(failure);
    }
    this.#seen = position;
    for (const update of this.#gate.open(position)) this.#show(update);
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
