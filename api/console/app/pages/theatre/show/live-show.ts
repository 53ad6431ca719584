// A live session, joined in the middle: first what its updates so far have left behind, then each update that follows.

import { signal } from '@preact/signals';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../../data/service.ts';
import type { Show, ShownStage, ShowState } from './show.ts';
import { shownUpdate } from './shown-update.ts';

export class LiveShow implements Show {
  readonly stage: ShownStage;
  readonly #state = signal<ShowState>({ kind: 'starting' });
  #leaving = new AbortController();

  constructor(stage: ShownStage) {
    this.stage = stage;
  }

  get state() {
    return this.#state;
  }

  begin(): void {
    this.#state.value = { kind: 'starting' };
    this.#leaving = new AbortController();
    void this.#play();
  }

  leave(): void {
    this.#leaving.abort();
  }

  async #play(): Promise<void> {
    const { signal: leaving } = this.#leaving;
    const { sessionId } = this.stage;
    try {
      const { sequence, states } = await service.getSessionState({ sessionId }, { signal: leaving });
      this.stage.takeStates(states);
      const updates = service.stream({
        session: sessionId,
        after: sequence,
        signal: leaving,
        onState: ({ kind }) => {
          this.#state.value = { kind: kind === 'open' ? 'playing' : 'interrupted' };
        },
      });
      for await (const { feed, payload, body } of updates) this.stage.take(shownUpdate(feed, payload, body.length));
      this.#state.value = { kind: 'ended', how: 'over' };
    } catch (failure) {
      if (leaving.aborted) return;
      if (!(failure instanceof SlipstreamError)) throw failure;
      // A recording that is not prepared: the session was over before the page was opened.
      const isOver = failure.code === 'not_prepared' || failure.code === 'preparing';
      this.#state.value = isOver ? { kind: 'ended', how: 'over' } : { kind: 'failed', error: failure };
    }
  }
}
