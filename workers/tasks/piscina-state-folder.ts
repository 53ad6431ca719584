// Folds the states of sessions on a worker thread, one question at a time.

import type { SnapshotQuestion, StateFolder, StateQuestion } from '#api/states/state-folder.ts';
import { TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import type { Snapshots } from '#engine/timeline/snapshots.ts';
import { PiscinaThread } from './piscina-thread.ts';

export class PiscinaStateFolder implements StateFolder {
  readonly #thread = new PiscinaThread<StateQuestion | SnapshotQuestion, string[] | Snapshots | null>(
    new URL('fold-states.ts', import.meta.url),
    'foldStates',
    TASK_THREAD_IDLE_MS,
  );

  fold(question: StateQuestion): Promise<string[] | null> {
    return this.#thread.run(question) as Promise<string[] | null>;
  }

  snapshots(question: SnapshotQuestion): Promise<Snapshots | null> {
    return this.#thread.run(question) as Promise<Snapshots | null>;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
