// What the demo's figures mean: one row for each receiver and everything that is not as it should be.
//
// A receiver that stayed up must have got every update that it should get, once, and each correctly signed; the service's
// own account must say the same. One that went down may miss what the service says it skipped or gave up, and nothing
// else; and the service must have paused it and found that it came back.

import type { RunEndpoint } from './api-client.ts';

export interface ReceiverFigures {
  readonly number: number;
  readonly goesDown: boolean;
  /** Updates that it should have got, counted without the service's help. */
  readonly expected: number;
  readonly received: number;
  /** Of the expected ones, how many never came. */
  readonly missing: number;
  /** Updates that came though they should not. */
  readonly unwanted: number;
  readonly duplicates: number;
  readonly badSignatures: number;
  readonly misaddressed: number;
  readonly problems: readonly string[];
  /** The service's account of it. */
  readonly service: RunEndpoint;
  /** Whether the service was seen to pause it, and to go on with it. */
  readonly breakerOpened: boolean;
  readonly breakerClosedAgain: boolean;
}

export interface Verdict {
  /** Missing updates of each receiver that nothing excuses, in the order of the figures. */
  readonly lost: readonly number[];
  readonly problems: readonly string[];
}

export function skippedCount(service: RunEndpoint): number {
  return Object.values(service.skipped).reduce((sum, count) => sum + count, 0);
}

/** `whole`: the run went to its end; `outage`: the receiver that goes down did so. */
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
    if (receiver.unwanted > 0) say(`${receiver.unwanted} updates came that it did not ask for`);
    if (receiver.duplicates > 0 && !wentDown) say(`${receiver.duplicates} deliveries came twice`);
    if (receiver.badSignatures > 0) say(`${receiver.badSignatures} deliveries were wrongly signed`);
    if (receiver.misaddressed > 0) say(`${receiver.misaddressed} deliveries had headers that are not theirs`);
    for (const problem of receiver.problems) say(problem);
    if (whole && !wentDown && skipped + service.failed > 0) {
      say(`the service skipped ${skipped} updates and gave up ${service.failed} though it was up all the time`);
    }
    if (service.matched !== service.delivered + service.failed + skipped || service.pending !== 0) {
      say(`the service's account does not add up: ${JSON.stringify(service)}`);
    }
    if (service.delivered !== receiver.received && !wentDown) {
      say(`the service counts ${service.delivered} deliveries, ${receiver.received} updates came`);
    }
    if (whole && service.matched !== receiver.expected) {
      say(`the service matched ${service.matched} updates, it should be ${receiver.expected}`);
    }
    if (wentDown && !receiver.breakerOpened) say('it was down, but the service did not pause it');
    if (wentDown && receiver.breakerOpened && !receiver.breakerClosedAgain)
      say('it came back, but the service did not notice');
    return lostHere;
  });
  return { lost, problems };
}
