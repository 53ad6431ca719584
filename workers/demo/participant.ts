// One receiver in the demo with its subscriptions, the updates that it should get, and their lag.

import { DEMO_PROBLEMS_MAX } from '#engine/base/limits.ts';
import { LagRecord } from './lag-record.ts';
import { type ReceivedPayload, Receiver } from './receiver.ts';
import { SequenceSet } from './sequence-set.ts';
import type { Wish } from './wishes.ts';

export interface Participant {
  /** From 1, as shown. */
  readonly number: number;
  readonly wish: Wish;
  readonly goesDown: boolean;
  readonly receiver: Receiver;
  /** Updates that the first receiver got and this one should get as well. Empty for the first one itself. */
  readonly expected: SequenceSet;
  readonly lag: LagRecord;
  /** The first few problems with its deliveries. */
  readonly problems: string[];
  webhookId: string;
  lastSequence: number;
}

export function makeParticipant(
  number: number,
  wish: Wish,
  goesDown: boolean,
  onUpdate: (participant: Participant, payload: ReceivedPayload, arrivedMs: number) => void,
): Participant {
  const problems: string[] = [];
  const receiver = new Receiver(wish.method, {
    onUpdate(payload, arrivedMs) {
      participant.lastSequence = Math.max(participant.lastSequence, payload.sequence);
      onUpdate(participant, payload, arrivedMs);
    },
    onProblem(problem) {
      if (problems.length < DEMO_PROBLEMS_MAX) problems.push(problem);
    },
  });
  const participant: Participant = {
    number,
    wish,
    goesDown,
    receiver,
    expected: new SequenceSet(),
    lag: new LagRecord(),
    problems,
    webhookId: '',
    lastSequence: 0,
  };
  return participant;
}
