// The memory of an idle https connection: how much a process grows, after garbage collections, from before its first
// update to many endpoints until their connections are idle. The process has a small young generation, because a large
// one adds tens of MiB that hold no live objects.

import type { ColdSender } from '../engines/cold-sender.ts';
import { type ColdDelivery, ColdEndpoints } from './cold-delivery.ts';

/** For each connection. */
export interface ConnectionMemory {
  readonly rssKiB: number;
  /** Of it heap and external memory. The rest is mostly OpenSSL's. */
  readonly heldKiB: number;
}

/** Environment of a process whose memory is measured. */
export const SMALL_YOUNG_GENERATION = { NODE_OPTIONS: '--max-semi-space-size=1' };

/** Endpoints of a first delivery that compiles the code: few, because the measured connections use their memory again. */
const WARM_UP_ENDPOINTS = 20;

/** The sender must be new: memory that it has freed before would hide growth. Passes every delivery to `counted`. */
export async function connectionMemory(
  sender: ColdSender,
  count: number,
  counted: (delivery: ColdDelivery) => void,
): Promise<ConnectionMemory> {
  await ColdEndpoints.use(sender, Math.min(count, WARM_UP_ENDPOINTS), async (endpoints) => {
    counted(await endpoints.deliver(0));
  });
  const each = { rssKiB: 0, heldKiB: 0 };
  await ColdEndpoints.use(sender, count, async (endpoints) => {
    const before = await sender.memory();
    counted(await endpoints.deliver(0));
    const after = await sender.memory();
    const idle = await sender.connections();
    if (idle !== count) throw new Error(`${idle} connections are idle, not one for each of ${count} endpoints`);
    each.rssKiB = (after.rssBytes - before.rssBytes) / 1_024 / count;
    each.heldKiB = (after.heldBytes - before.heldBytes) / 1_024 / count;
  });
  return each;
}
