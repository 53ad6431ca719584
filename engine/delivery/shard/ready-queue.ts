// Actors that wait for a turn, each at most once, first come, first served.

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

  /** Puts actors that have waited longer than all others at the front, in the given order. */
  addFirst(actors: readonly Actor[]): void {
    const first = actors.filter(({ queued }) => !queued);
    if (first.length === 0) return;
    for (const actor of first) actor.queued = true;
    this.#waiting = [...first, ...this.#waiting.slice(this.#taken)];
    this.#taken = 0;
  }

  /** Takes the next actor; null when there is none. */
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
