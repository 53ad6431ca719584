// Actors that wait for a turn, in two lanes: those that keep up, and those that are behind. To one that has many updates to
// catch up with, a turn later means little; to one that keeps up, the turns of others before its own are all of its lag.

import { ReadyQueue, type Turnable } from './ready-queue.ts';

export interface LaneActor extends Turnable {
  /** Whether so many updates wait that it need not come first. */
  readonly behind: boolean;
}

/** While both lanes wait, one of so many turns goes to those that are behind. */
export const TURNS_FOR_ONE_BEHIND = 4;

export class ReadyLanes<Actor extends LaneActor> {
  readonly #prompt = new ReadyQueue<Actor>();
  readonly #behind = new ReadyQueue<Actor>();
  #turns = 0;

  get length(): number {
    return this.#prompt.length + this.#behind.length;
  }

  add(actor: Actor): void {
    (actor.behind ? this.#behind : this.#prompt).add(actor);
  }

  /** Puts actors that have waited longer than all others at the front of their lanes, in the given order. */
  addFirst(actors: readonly Actor[]): void {
    this.#prompt.addFirst(actors.filter(({ behind }) => !behind));
    this.#behind.addFirst(actors.filter(({ behind }) => behind));
  }

  /** Takes the next actor; null when there is none. */
  take(): Actor | null {
    this.#turns++;
    return this.#turns % TURNS_FOR_ONE_BEHIND === 0
      ? (this.#behind.take() ?? this.#prompt.take())
      : (this.#prompt.take() ?? this.#behind.take());
  }
}
