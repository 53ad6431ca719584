// The ready queue: a thousand actors request a turn, as when an update for all endpoints falls due, and get it.

import { ReadyQueue, type Turnable } from '#engine/delivery/shard/ready-queue.ts';
import type { Operation } from './operation.ts';

const ACTORS = 1_000;
const FILLINGS = 8;

interface Numbered extends Turnable {
  readonly number: number;
}

export function prepare(): readonly Operation[] {
  const queue = new ReadyQueue<Numbered>();
  const actors = Array.from({ length: ACTORS }, (_, number): Numbered => ({ queued: false, number }));
  const lap = (): number => {
    let sum = 0;
    for (let filling = 0; filling < FILLINGS; filling++) {
      for (const actor of actors) queue.add(actor);
      for (let actor = queue.take(); actor !== null; actor = queue.take()) sum += actor.number;
    }
    return sum;
  };
  return [
    {
      name: 'ask for a turn and get it',
      times: FILLINGS * ACTORS,
      answer: (FILLINGS * (ACTORS * (ACTORS - 1))) / 2,
      lap,
    },
  ];
}
