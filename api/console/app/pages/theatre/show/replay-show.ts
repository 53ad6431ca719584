// A replay that the page watches: played, paused, moved and played at another speed.
//
// A move goes through the run itself, and the state of the new place is shown before the updates that follow it. The API has
// no change of speed: another run begins where this one is. A run that is over is played again by another one, too. Runs
// that deliver do neither: a new run would deliver again.

import { signal } from '@preact/signals';
import type { ServerEvent } from '#api/client/event-reader.ts';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../../data/service.ts';
import { type ReplayOrder, replayEvents } from './replay-events.ts';
import { SeekGate } from './seek-gate.ts';
import type { Show, ShownStage, ShowState } from './show.ts';
import { updateOfText } from './shown-update.ts';

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

/** Where a run begins: `seconds` since the beginning of the session. */
interface Place {
  readonly sequence?: number;
  readonly seconds?: number;
}

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
    void this.#play({});
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
      if (this.sinks === 'visual') await this.#restart({ seconds });
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
    if (run === null || this.#state.value.kind === 'ended' || this.#gate.last >= run.updateCount) return;
    await this.#restart({ sequence: this.#gate.last + 1 });
  }

  /** Plays from a place as another run. */
  async #restart(place: Place): Promise<void> {
    const run = this.#run.value;
    this.#leaving.abort();
    this.#state.value = { kind: 'moving' };
    try {
      if (run !== null) await service.stopRun({ runId: run.runId });
    } catch (failure) {
      if (!(failure instanceof SlipstreamError)) throw failure;
      // It is over already, or the start says what is wrong.
    }
    await this.#play(place);
  }

  async #play(place: Place): Promise<void> {
    const leaving = new AbortController();
    this.#leaving = leaving;
    const { sequence, seconds } = place;
    const order: ReplayOrder = {
      session: this.stage.sessionId,
      speed: this.#speed.value,
      sinks: this.sinks,
      ...(sequence !== undefined && { sequence }),
      ...(seconds !== undefined && { time: this.#timeAt(seconds) }),
    };
    // Another speed continues what is shown; another place needs its state first.
    this.#gate.reopen();
    if (place.seconds !== undefined) this.#gate.close();
    let isNew = true;
    try {
      for await (const news of replayEvents(order, leaving.signal)) {
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
          this.#gate.begin(Number(event.id));
          if (place.seconds !== undefined) void this.#arrive(Number(event.id), place.seconds, true);
        }
      }
      // Another page shows the run from now on.
      if (this.#state.value.kind !== 'ended') this.#state.value = { kind: 'ended', how: 'left' };
    } catch (failure) {
      if (leaving.signal.aborted) return;
      if (!(failure instanceof SlipstreamError)) throw failure;
      this.#state.value = { kind: 'failed', error: failure };
    }
  }

  #take({ event, data }: ServerEvent): void {
    const update = updateOfText(event, data);
    if (update !== null && this.#gate.admits(update)) this.stage.take(update);
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
      for (const update of this.#gate.reopen()) this.stage.take(update);
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
    for (const update of this.#gate.open(position)) this.stage.take(update);
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
