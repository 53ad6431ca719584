// What the actors of one account share of a shard: their place in the round of turns, and their slots. Each actor belongs
// to one, so nothing is looked up for a turn or an attempt.

import { ReadyQueue, type Turnable } from './ready-queue.ts';

/** An actor as one that takes turns. */
export interface TurnTaker<Self extends TurnTaker<Self>> extends Turnable<Self> {
  /** Whether so many updates wait that it need not come first. */
  readonly behind: boolean;
  readonly share: AccountShare<Self>;
}

/** The actors of one account that wait in one lane. It takes turns with those of the other accounts. */
export class AccountQueue<Actor extends TurnTaker<Actor>> implements Turnable<AccountQueue<Actor>> {
  queued = false;
  next: AccountQueue<Actor> | null = null;
  readonly actors = new ReadyQueue<Actor>();
}

export class AccountShare<Actor extends TurnTaker<Actor>> {
  readonly accountId: string;
  readonly prompt = new AccountQueue<Actor>();
  readonly behind = new AccountQueue<Actor>();
  /** Actors and tests that use it. */
  users = 0;
  /** Actors that wait for a turn, in both lanes. */
  waiting = 0;
  /** The slice since which some have waited all the time, and the last one in which none waited any more. */
  waitingSince = 0;
  emptied = -1;
  /** Attempts under way. */
  inFlight = 0;
  /** The same, once every actor that has been given a turn for a slot has taken it. */
  expected = 0;
  /** Actors that were refused a slot, in the order in which they asked. Starved ones have none, wanting ones want more. */
  readonly starved = new Set<Actor>();
  readonly wanting = new Set<Actor>();

  constructor(accountId: string) {
    this.accountId = accountId;
  }
}
