// Reads outcomes of recorded sessions on a worker thread, one at a time.

import type { OutcomeReader, ReadOutcome } from '#api/outcomes/recorded-outcomes.ts';
import { PiscinaThread } from './piscina-thread.ts';

/** An idle thread ends after this time: most outcomes are remembered, memory is not free. */
const IDLE_MS = 10_000;

export class PiscinaOutcomeReader implements OutcomeReader {
  readonly #thread = new PiscinaThread<string, ReadOutcome>(
    new URL('read-outcome.ts', import.meta.url),
    'readOutcome',
    IDLE_MS,
  );

  read(recording: string): Promise<ReadOutcome> {
    return this.#thread.run(recording);
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
