// The ready lanes: a thousand actors request a turn, as when an update for all endpoints falls due, and get it. They belong
// to one account, or to as many.

import { AccountShare, type TurnTaker } from '#engine/delivery/turns/account-share.ts';
import { ReadyLanes } from '#engine/delivery/turns/ready-lanes.ts';
import type { Operation } from './operation.ts';

const ACTORS = 1_000;
const FILLINGS = 8;

interface Numbered extends TurnTaker<Numbered> {
  readonly number: number;
}

export function prepare(): readonly Operation[] {
  return [operation('ask for a turn and get it', 1), operation('ask for a turn and get it, an account each', ACTORS)];
}

function operation(name: string, accounts: number): Operation {
  const lanes = new ReadyLanes<Numbered>();
  const shares = Array.from({ length: accounts }, (_, index) => new AccountShare<Numbered>(`acc_${index}`));
  const actors = Array.from({ length: ACTORS }, (_, number): Numbered => {
    return { number, queued: false, next: null, behind: false, share: shares[number % accounts]! };
  });
  const lap = (): number => {
    let sum = 0;
    for (let filling = 0; filling < FILLINGS; filling++) {
      for (const actor of actors) lanes.add(actor);
      for (let actor = lanes.take(); actor !== null; actor = lanes.take()) sum += actor.number;
    }
    return sum;
  };
  return { name, times: FILLINGS * ACTORS, answer: (FILLINGS * (ACTORS * (ACTORS - 1))) / 2, lap };
}
