// Checkpoints, one for each actor: the one that was added last. They are found by run and endpoint without a text of both,
// which for thousands of them would be a millisecond of work and all garbage.

import type { Checkpoint } from './record-store.ts';

export class CheckpointSet {
  readonly #runs = new Map<string, Map<string, Checkpoint>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether there is one of the actor that this one is of. */
  has({ runId, webhookId }: Checkpoint): boolean {
    return this.#runs.get(runId)?.has(webhookId) === true;
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

  /** Removes and returns the checkpoint of the actor that this one is of; undefined without one. */
  take({ runId, webhookId }: Checkpoint): Checkpoint | undefined {
    const run = this.#runs.get(runId);
    const checkpoint = run?.get(webhookId);
    if (run === undefined || checkpoint === undefined) return undefined;
    run.delete(webhookId);
    if (run.size === 0) this.#runs.delete(runId);
    this.#size--;
    return checkpoint;
  }

  /** Run by run, in each in the order in which its actors were added. */
  list(): Checkpoint[] {
    const list = new Array<Checkpoint>(this.#size);
    let place = 0;
    for (const run of this.#runs.values()) for (const checkpoint of run.values()) list[place++] = checkpoint;
    return list;
  }
}
