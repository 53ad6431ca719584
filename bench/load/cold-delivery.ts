// One update to many https endpoints: when it arrived, what it took, and what was wrong.

import { setTimeout as pause } from 'node:timers/promises';
import type { ColdSender } from '../engines/cold-sender.ts';
import { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { lagsOf } from './lag.ts';

export interface ColdFaults {
  readonly lost: number;
  readonly doubled: number;
  readonly wronglySigned: number;
  readonly unexpected: number;
  readonly unrecorded: number;
}

export interface ColdDelivery {
  /** From due to fully received, in milliseconds, ascending; one for each endpoint. */
  readonly lagMs: Float64Array;
  /** CPU of the sending process for each endpoint, microseconds. */
  readonly cpuUsEach: number;
  /** Connections that the receiver accepted, and how many of their handshakes resumed a TLS session. */
  readonly connections: number;
  readonly resumed: number;
  readonly faults: ColdFaults;
}

/** How long after the update is due the last delivery may arrive. */
const ARRIVAL_MS_MAX = 60_000;
const CLOSED_MS_MAX = 10_000;
const POLL_MS = 10;

/** New https endpoints of a sender, each with an origin of its own that it has never connected to. */
export class ColdEndpoints {
  readonly #sender: ColdSender;
  readonly #receiver: ArrivalReceiver;
  readonly #secrets: readonly string[];

  private constructor(sender: ColdSender, receiver: ArrivalReceiver, secrets: readonly string[]) {
    this.#sender = sender;
    this.#receiver = receiver;
    this.#secrets = secrets;
  }

  /** Afterwards the sender has no connection open. */
  static async use(sender: ColdSender, count: number, use: (endpoints: ColdEndpoints) => Promise<void>): Promise<void> {
    const receiver = await ArrivalReceiver.start({ scheme: 'https', origins: count });
    try {
      await use(new ColdEndpoints(sender, receiver, await sender.aim(receiver.urls(count))));
    } finally {
      await receiver.end();
    }
    await untilClosed(sender);
  }

  /** `leadMs`: from the start until the update is due. Connections stay open. */
  async deliver(leadMs: number): Promise<ColdDelivery> {
    const expected = { secrets: this.#secrets, first: 1, updates: 1 };
    const { length } = this.#secrets;
    await this.#receiver.expect(expected);
    const { dueAtMs, sent } = await this.#sender.deliver(leadMs);
    const [{ cpuUs, resumed, unrecorded }] = await Promise.all([
      sent,
      this.#receiver.settled(dueAtMs + ARRIVAL_MS_MAX - monotonicMs()),
    ]);
    const arrivals = await this.#receiver.report();
    const { distinct, accepted, doubled, wronglySigned, unexpected } = arrivals;
    if (distinct === 0) throw new Error('no delivery arrived');
    return {
      lagMs: lagsOf(arrivals, expected, () => dueAtMs).lagMs.sort(),
      cpuUsEach: cpuUs / length,
      connections: accepted,
      resumed,
      faults: { lost: length - distinct, doubled, wronglySigned, unexpected, unrecorded },
    };
  }

  /** Delivers an update over the open connections. The receiver closes each after its response. */
  async deliverAndClose(): Promise<ColdDelivery> {
    await this.#receiver.keepConnections(false);
    const delivery = await this.deliver(0);
    await untilClosed(this.#sender);
    await this.#receiver.keepConnections(true);
    return delivery;
  }
}

/** Waits until the sender has noticed that the receiver closed all its connections. */
async function untilClosed(sender: ColdSender): Promise<void> {
  const untilMs = monotonicMs() + CLOSED_MS_MAX;
  while ((await sender.connections()) > 0) {
    if (monotonicMs() > untilMs) throw new Error('the sender still has connections that the receiver has closed');
    await pause(POLL_MS);
  }
}
