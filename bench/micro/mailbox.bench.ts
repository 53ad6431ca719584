// Filling an actor's mailbox to its bound, and emptying it.

import { MAILBOX_POSITIONS_MAX } from '#engine/base/limits.ts';
import { Mailbox } from '#engine/delivery/endpoint/mailbox.ts';
import type { Operation } from './operation.ts';

const FILLINGS = 32;
const POSITIONS = FILLINGS * MAILBOX_POSITIONS_MAX;

export function prepare(): readonly Operation[] {
  const mailbox = new Mailbox();
  const lap = (): number => {
    let sum = 0;
    for (let filling = 0; filling < FILLINGS; filling++) {
      for (let place = 0; !mailbox.full; place++) mailbox.offer(filling * MAILBOX_POSITIONS_MAX + place);
      while (mailbox.length > 0) sum += mailbox.take();
    }
    return sum;
  };
  return [
    { name: 'offer and take a position', times: POSITIONS, answer: (POSITIONS * (POSITIONS - 1)) / 2, bytes: 0, lap },
  ];
}
