// Actors that wait for a turn, in two lanes: those that keep up, and those that are behind. To one that has many updates to
// catch up with, a turn later means little; to one that keeps up, the turns of others before its own are all of its lag.
//
// In each lane accounts take turns, one turn each, and the actors of an account take the account's turns first come,
// first served. So an actor never waits for more turns of another account than its own account's actors before it need.

import type { AccountQueue, AccountShare, TurnTaker } from './account-share.ts';
import { ReadyQueue } from './ready-queue.ts';

/** While both lanes wait, one of so many turns goes to those that are behind. */
export const TURNS_FOR_ONE_BEHIND = 4;

export class ReadyLanes<Actor extends TurnTaker<Actor>> {
  /** The accounts whose turn it is next, by lane. */
  readonly #prompt = new ReadyQueue<AccountQueue<Actor>>();
  readonly #behind = new ReadyQueue<AccountQueue<Actor>>();
  #turns = 0;
  #slice = 0;

  get isEmpty(): boolean {
    return this.#prompt.isEmpty && this.#behind.isEmpty;
  }

  add(actor: Actor): void {
    const isBehind = actor.behind;
    const queue = isBehind ? actor.share.behind : actor.share.prompt;
    if (queue.actors.add(actor)) this.#added(actor.share, queue, isBehind);
  }

  /** Lets the actor come before all others of its account, but after those for which this was called before. */
  addFirst(actor: Actor): void {
    const isBehind = actor.behind;
    const queue = isBehind ? actor.share.behind : actor.share.prompt;
    if (queue.actors.addFirst(actor)) this.#added(actor.share, queue, isBehind);
  }

  /** Takes the next actor; null when there is none. */
  take(): Actor | null {
    this.#turns++;
    return this.#turns % TURNS_FOR_ONE_BEHIND === 0
      ? (this.#takeOf(this.#behind) ?? this.#takeOf(this.#prompt))
      : (this.#takeOf(this.#prompt) ?? this.#takeOf(this.#behind));
  }

  /** A slice of turns is over. */
  sliceEnded(): void {
    this.#slice++;
  }

  /** Whether actors of this account had to wait for more than the last slice. */
  crowded({ waiting, waitingSince, emptied }: AccountShare<Actor>): boolean {
    return waitingSince < this.#slice && (waiting > 0 || emptied === this.#slice);
  }

  #added(share: AccountShare<Actor>, queue: AccountQueue<Actor>, isBehind: boolean): void {
    if (share.waiting === 0 && share.emptied !== this.#slice) share.waitingSince = this.#slice;
    share.waiting++;
    (isBehind ? this.#behind : this.#prompt).add(queue);
  }

  #takeOf(round: ReadyQueue<AccountQueue<Actor>>): Actor | null {
    const queue = round.take();
    if (queue === null) return null;
    const actor = queue.actors.take()!;
    if (!queue.actors.isEmpty) round.add(queue);
    const { share } = actor;
    share.waiting--;
    if (share.waiting === 0) share.emptied = this.#slice;
    return actor;
  }
}
