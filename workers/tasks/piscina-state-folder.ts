// Folds the states of sessions on a worker thread, one question at a time.

import type { StateFolder, StateQuestion } from '#api/sessions/state-folder.ts';
import { TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import { PiscinaThread } from './piscina-thread.ts';

export class PiscinaStateFolder implements StateFolder {
  readonly #thread = new PiscinaThread<StateQuestion, string[] | null>(
    new URL('fold-states.ts', import.meta.url),
    'foldStates',
    TASK_THREAD_IDLE_MS,
  );

  fold(question: StateQuestion): Promise<string[] | null> {
    return this.#thread.run(question);
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
