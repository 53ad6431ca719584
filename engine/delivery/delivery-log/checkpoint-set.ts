// Checkpoints, one for each actor: the one that was added last. They are found by run and endpoint without a text of both,
// which for thousands of them would be a millisecond of work and all garbage.

import type { Checkpoint } from './record-store.ts';

export class CheckpointSet {
  readonly #runs = new Map<string, Map<string, Checkpoint>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Replaces the actor's checkpoint, which keeps its place, or adds one. */
  add(checkpoint: Checkpoint): void {
    let run = this.#runs.get(checkpoint.runId);
    if (run === undefined) {
      run = new Map();
      this.#runs.set(checkpoint.runId, run);
    }
    const before = run.size;
    run.set(checkpoint.webhookId, checkpoint);
    this.#size += run.size - before;
  }

  /** Removes the checkpoint of the actor that this one is of. */
  remove({ runId, webhookId }: Checkpoint): void {
    if (this.#runs.get(runId)?.delete(webhookId) === true) this.#size--;
  }

  /** Run by run, in each in the order in which its actors were added. */
  list(): Checkpoint[] {
    const list = new Array<Checkpoint>(this.#size);
    let place = 0;
    for (const run of this.#runs.values()) for (const checkpoint of run.values()) list[place++] = checkpoint;
    return list;
  }
}
