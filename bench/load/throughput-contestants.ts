// The receiver and the contestants of a throughput bench, each started on first use: engines by their number of shards,
// and the rivals that the engine is compared with. `end` stops them all.

import { randomBytes } from 'node:crypto';
import { type SyntheticArtifact, syntheticArtifact } from '#bench/engines/synthetic-timeline.ts';
import { type DeliveryEngine, startDeliveryEngine } from '../engines/delivery-engine.ts';
import { BULLMQ_TUNED, startBullmq } from '../peers/bullmq-peer.ts';
import { GRAPHILE_TUNED, startGraphileWorker } from '../peers/graphile-worker-peer.ts';
import { startRedis } from '../peers/redis-server.ts';
import type { Load, Sender } from '../peers/sender-thread.ts';
import { startSocketLoop } from '../peers/socket-loop.ts';
import { startUndiciLoop } from '../peers/undici-loop.ts';
import type { Scheme } from '../receivers/arrival-receiver-process.ts';
import { TRUSTING_IT } from '../receivers/localhost-certificate.ts';
import { type Receiver, startReceiver } from '../receivers/receiver-process.ts';
import { type Contestant, engineContestant, senderContestant } from './throughput-round.ts';

export const RIVALS = ['undici', 'socket', 'bullmq', 'graphile'] as const;
export type Rival = (typeof RIVALS)[number];

export const RIVAL_NAMES: Readonly<Record<Rival, string>> = {
  undici: 'undici loop',
  socket: 'raw socket loop',
  bullmq: 'BullMQ',
  graphile: 'graphile-worker',
};

export interface Shape {
  readonly endpoints: number;
  readonly shards: number;
  readonly bodyBytes: number;
}

const LOOP_CONNECTIONS = 64;
/** The fastest combination of several tried. */
const SOCKET_CONNECTIONS = 8;
const SOCKET_UNANSWERED = 64;

export class Contestants {
  readonly #ends: (() => Promise<void>)[] = [];
  readonly #engines = new Map<number, DeliveryEngine>();
  readonly #rivals = new Map<Rival, Contestant | null>();
  readonly #separate = new Map<number, Contestant>();
  readonly receiver: Receiver;

  static async open(scheme: Scheme): Promise<Contestants> {
    // The engine runs in this process.
    if (scheme === 'https' && process.env.NODE_EXTRA_CA_CERTS !== TRUSTING_IT.NODE_EXTRA_CA_CERTS)
      throw new Error('this process does not trust the receiver: start the bench with npm run bench');
    return new Contestants(await startReceiver(scheme));
  }

  private constructor(receiver: Receiver) {
    this.receiver = receiver;
    this.#ends.push(() => receiver.end());
  }

  async engine(shards: number): Promise<Contestant> {
    return engineContestant(await this.#engine(shards));
  }

  /** Null if the machine lacks what the rival needs: Redis, for BullMQ. */
  async rival(rival: Rival): Promise<Contestant | null> {
    let contestant = this.#rivals.get(rival);
    if (contestant === undefined) {
      const sender = await this.#start(rival);
      contestant = sender === null ? null : senderContestant(RIVAL_NAMES[rival], sender);
      this.#rivals.set(rival, contestant);
    }
    return contestant;
  }

  /** Raw sockets used the way the engine must use them: one connection per endpoint, one request at a time. */
  async separateSockets(endpoints: number): Promise<Contestant> {
    let contestant = this.#separate.get(endpoints);
    if (contestant === undefined) {
      const sender = await startSocketLoop(endpoints, 1);
      this.#ends.push(() => sender.end());
      contestant = senderContestant('raw sockets, one each', sender);
      this.#separate.set(endpoints, contestant);
    }
    return contestant;
  }

  /** About `deliveries` deliveries, at least one to each endpoint. Each endpoint has its own secret. */
  async load({ endpoints, bodyBytes }: Shape, deliveries: number): Promise<Load> {
    const secrets = Array.from({ length: endpoints }, () => `whsec_${randomBytes(32).toString('base64')}`);
    const artifact: SyntheticArtifact = await syntheticArtifact(Math.ceil(deliveries / endpoints), 1, bodyBytes);
    return { origin: this.receiver.origin, secrets, artifact };
  }

  /** Stops the last started first, since it may depend on earlier ones. */
  async end(): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
  }

  async #engine(shards: number): Promise<DeliveryEngine> {
    let engine = this.#engines.get(shards);
    if (engine === undefined) {
      const started = await startDeliveryEngine(shards);
      this.#ends.push(() => started.close());
      this.#engines.set(shards, started);
      engine = started;
    }
    return engine;
  }

  async #start(rival: Rival): Promise<Sender | null> {
    const sender = await this.#startSender(rival);
    if (sender !== null) this.#ends.push(() => sender.end());
    return sender;
  }

  async #startSender(rival: Rival): Promise<Sender | null> {
    switch (rival) {
      case 'undici':
        return startUndiciLoop(LOOP_CONNECTIONS);
      case 'socket':
        return startSocketLoop(SOCKET_CONNECTIONS, SOCKET_UNANSWERED);
      case 'bullmq': {
        const redis = await startRedis();
        if (redis === null) return null;
        this.#ends.push(() => redis.end());
        return startBullmq({ ...BULLMQ_TUNED, socket: redis.socket });
      }
      case 'graphile': {
        // It shares the engine's database server, so both have the same settings.
        const [engine = await this.#engine(1)] = this.#engines.values();
        return startGraphileWorker({ ...GRAPHILE_TUNED, connection: engine.connection });
      }
    }
  }
}
