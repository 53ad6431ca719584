// Reads the outcomes of recorded sessions on a worker thread, one at a time.

import type { OutcomeReader, ReadOutcome } from '#api/outcomes/recorded-outcomes.ts';
import { TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import { PiscinaThread } from './piscina-thread.ts';

export class PiscinaOutcomeReader implements OutcomeReader {
  readonly #thread = new PiscinaThread<string, ReadOutcome>(
    new URL('read-outcome.ts', import.meta.url),
    'readOutcome',
    TASK_THREAD_IDLE_MS,
  );

  read(recording: string): Promise<ReadOutcome> {
    return this.#thread.run(recording);
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
