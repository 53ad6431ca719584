// One round of one contestant: it sends a load, the receiver counts and verifies the arrivals, and every discrepancy is
// a fault, no matter which contestant caused it.

import type { DeliveryEngine } from '../engines/delivery-engine.ts';
import type { Load, Sender, Sent } from '../peers/sender-thread.ts';
import type { Receiver, ReceiverReport } from '../receivers/receiver-process.ts';

export interface Faults {
  readonly lost: number;
  readonly doubled: number;
  /** Counted for the engine only: the rivals promise no order (I5). */
  readonly misordered: number;
  readonly wronglySigned: number;
  /** Attempts missing from the engine's delivery log or usage (I10). */
  readonly unrecorded: number;
}

export interface Contestant {
  readonly name: string;
  readonly keepsOrder: boolean;
  readonly send: (load: Load) => Promise<Sent & { readonly unrecorded: number }>;
}

export interface Round {
  readonly perSecond: number;
  /** CPU of the sending process per delivery, microseconds. */
  readonly cpuUs: number;
  /** CPU of the receiver: per delivery in microseconds, and as a share of one core during the round. */
  readonly receiverCpuUs: number;
  readonly receiverBusy: number;
  /** Connections that the sender opened during the round. */
  readonly connections: number;
  readonly arrivals: ReceiverReport['arrivals'];
  readonly faults: Faults;
}

/** A round of any reasonable size is faster; a slower one waits for something that will never arrive. */
const ROUND_MS_MAX = 600_000;

export function senderContestant(name: string, sender: Sender): Contestant {
  return { name, keepsOrder: false, send: async (load) => ({ ...(await sender.send(load)), unrecorded: 0 }) };
}

export function engineContestant(engine: DeliveryEngine): Contestant {
  return {
    name: 'engine',
    keepsOrder: true,
    async send({ origin, secrets, artifact }) {
      // A new account, whose usage starts at zero.
      const registered = await engine.register(origin, secrets.length);
      const endpoints = registered.map((endpoint, index) => ({ ...endpoint, secret: secrets[index]! }));
      const cpu = process.cpuUsage();
      const { seconds, logged, used } = await engine.play(artifact, endpoints, Number.POSITIVE_INFINITY);
      const { user, system } = process.cpuUsage(cpu);
      const deliveries = artifact.updates * secrets.length;
      const unrecorded = Math.abs(deliveries - logged) + Math.abs(deliveries - used);
      return { seconds, cpuUs: user + system, unrecorded };
    },
  };
}

export async function playRound(contestant: Contestant, load: Load, receiver: Receiver): Promise<Round> {
  const { updates } = load.artifact;
  const deliveries = updates * load.secrets.length;
  await receiver.expect(load.secrets, updates);
  const { seconds, cpuUs, unrecorded } = await inTime(contestant, load);
  const report = await receiver.report();
  return {
    perSecond: deliveries / seconds,
    cpuUs: cpuUs / deliveries,
    receiverCpuUs: report.cpuUs / deliveries,
    receiverBusy: report.cpuUs / 1e6 / seconds,
    connections: report.connections,
    arrivals: report.arrivals,
    faults: {
      lost: deliveries - report.distinct,
      doubled: report.doubled,
      misordered: contestant.keepsOrder ? report.misordered : 0,
      wronglySigned: report.wronglySigned,
      unrecorded,
    },
  };
}

function inTime(contestant: Contestant, load: Load): ReturnType<Contestant['send']> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const minutes = ROUND_MS_MAX / 60_000;
      reject(new Error(`${contestant.name} did not finish within ${minutes} minutes. Try fewer --deliveries`));
    }, ROUND_MS_MAX);
    contestant
      .send(load)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
