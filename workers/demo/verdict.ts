// Judges the figures of the demo: the updates that each receiver lost, and all problems.
//
// A receiver that stayed up must have got every expected update exactly once, with valid signatures, and the counts of
// the service must agree. A receiver that went down may miss only the updates that the service reports as skipped or
// failed, and the service must have paused it and resumed.

import type { RunEndpoint } from './api-client.ts';

export interface ReceiverFigures {
  readonly number: number;
  readonly goesDown: boolean;
  /** Updates that it should have got, counted independently of the service. */
  readonly expected: number;
  readonly received: number;
  /** Expected updates that never arrived. */
  readonly missing: number;
  /** Updates that arrived without a subscription. */
  readonly unwanted: number;
  readonly duplicates: number;
  readonly badSignatures: number;
  readonly misaddressed: number;
  readonly problems: readonly string[];
  /** The service's own counts for this receiver. */
  readonly service: RunEndpoint;
  /** Whether the service was seen to pause the receiver, and to resume it. */
  readonly breakerOpened: boolean;
  readonly breakerClosedAgain: boolean;
}

export interface Verdict {
  /** Updates that each receiver lost without an excuse, in the order of the figures. */
  readonly lost: readonly number[];
  readonly problems: readonly string[];
}

export function skippedCount(service: RunEndpoint): number {
  return Object.values(service.skipped).reduce((sum, count) => sum + count, 0);
}

/** `whole`: the run played to its end. `outage`: the receiver that goes down was switched off. */
export function judge(figures: readonly ReceiverFigures[], whole: boolean, outage: boolean): Verdict {
  const problems: string[] = [];
  const lost = figures.map((receiver) => {
    const { service } = receiver;
    const say = (problem: string): void => void problems.push(`receiver ${receiver.number}: ${problem}`);
    const skipped = skippedCount(service);
    const wentDown = receiver.goesDown && outage;
    const excused = wentDown || !whole ? skipped + service.failed : 0;
    const lostHere = Math.max(0, receiver.missing - excused);
    if (lostHere > 0) say(`${lostHere} updates were lost`);
    if (receiver.unwanted > 0) say(`${receiver.unwanted} updates arrived without a subscription`);
    if (receiver.duplicates > 0 && !wentDown) say(`${receiver.duplicates} deliveries arrived twice`);
    if (receiver.badSignatures > 0) say(`${receiver.badSignatures} deliveries had a wrong signature`);
    if (receiver.misaddressed > 0) say(`${receiver.misaddressed} deliveries had wrong headers`);
    for (const problem of receiver.problems) say(problem);
    if (whole && !wentDown && skipped + service.failed > 0) {
      say(
        `the service skipped ${skipped} updates and gave up on ${service.failed}, although the receiver was always up`,
      );
    }
    if (service.matched !== service.delivered + service.failed + skipped || service.pending !== 0) {
      say(`the service's counts do not add up: ${JSON.stringify(service)}`);
    }
    if (service.delivered !== receiver.received && !wentDown) {
      say(`the service counts ${service.delivered} deliveries, but ${receiver.received} updates arrived`);
    }
    if (whole && service.matched !== receiver.expected) {
      say(`the service matched ${service.matched} updates instead of ${receiver.expected}`);
    }
    if (wentDown && !receiver.breakerOpened) say('the service did not pause it while it was down');
    if (wentDown && receiver.breakerOpened && !receiver.breakerClosedAgain)
      say('the service did not notice that it came back');
    return lostHere;
  });
  return { lost, problems };
}
