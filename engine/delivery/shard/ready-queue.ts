// Actors that want a turn, each at most once, in the order in which they asked.

export interface Turnable {
  queued: boolean;
}

export class ReadyQueue<Actor extends Turnable> {
  #waiting: Actor[] = [];
  #taken = 0;

  get length(): number {
    return this.#waiting.length - this.#taken;
  }

  add(actor: Actor): void {
    if (actor.queued) return;
    actor.queued = true;
    this.#waiting.push(actor);
  }

  /** Actors that have waited for longer than those who are here: they come before them, in their order. */
  addFirst(actors: readonly Actor[]): void {
    const first = actors.filter(({ queued }) => !queued);
    if (first.length === 0) return;
    for (const actor of first) actor.queued = true;
    this.#waiting = [...first, ...this.#waiting.slice(this.#taken)];
    this.#taken = 0;
  }

  /** The next actor, or null. */
  take(): Actor | null {
    if (this.#taken === this.#waiting.length) {
      this.#waiting.length = 0;
      this.#taken = 0;
      return null;
    }
    const actor = this.#waiting[this.#taken]!;
    this.#taken++;
    actor.queued = false;
    if (this.#taken > 1024 && this.#taken * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#taken);
      this.#taken = 0;
    }
    return actor;
  }
}
