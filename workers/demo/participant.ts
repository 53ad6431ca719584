// One receiver in the demo with its subscriptions, the updates that it should get, and their lag.

import { DEMO_PROBLEMS_MAX } from '#engine/base/limits.ts';
import type { DemoOptions } from './demo-options.ts';
import { LagRecord } from './lag-record.ts';
import type { ReceiverCertificate } from './pkijs-certificate.ts';
import { type ReceivedPayload, Receiver } from './receiver.ts';
import { SequenceSet } from './sequence-set.ts';
import { type Wish, wishesFor } from './wishes.ts';

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

type OnUpdate = (participant: Participant, payload: ReceivedPayload, arrivedMs: number) => void;

/**
 * Returns as many as the options ask for, each with a receiver that is still off. The first one, or every one with
 * --https, gets the certificate.
 */
export function makeParticipants(
  options: Pick<DemoOptions, 'endpoints' | 'https'>,
  certificate: ReceiverCertificate,
  onUpdate: OnUpdate,
): Participant[] {
  const wishes = wishesFor(options.endpoints);
  return wishes.map((wish, index) => {
    const goesDown = wishes.length > 1 && index === wishes.length - 1;
    return makeParticipant(index + 1, wish, goesDown, options.https || index === 0 ? certificate : null, onUpdate);
  });
}

function makeParticipant(
  number: number,
  wish: Wish,
  goesDown: boolean,
  certificate: ReceiverCertificate | null,
  onUpdate: OnUpdate,
): Participant {
  const problems: string[] = [];
  const receiver = new Receiver(wish.method, certificate, {
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
