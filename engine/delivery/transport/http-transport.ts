// The real network: kept-alive HTTP/1.1 connections over TCP or TLS, separate for each endpoint. No redirects, no
// decompression, bounded responses; the actor sets the deadlines. A request is written once: the actor's attempts are the
// requests that receivers get (HC4).
//
// We wrote our own client because the request is most of what a delivery costs: through a general client the same bytes
// take more than twice the time (docs/decisions/0001-own-http-client-for-deliveries.md). It leaves out pipelining,
// HTTP/2, proxies, and every header that no endpoint reads.
//
// Connections outlive the run that opened them: the next run of the endpoint starts with them while they are idle.

import { LRUCache } from 'lru-cache';
import type { LoopClock, TimerClock } from '#engine/base/clock.ts';
import { Lease } from '#engine/base/lease.ts';
import { PARKED_CONNECTIONS_MAX, WARM_CONNECTIONS_MAX } from '#engine/base/limits.ts';
import type { OwnMachine } from './egress-guard.ts';
import { HandshakeGate } from './handshake-gate.ts';
import { HttpConnections, type Network } from './http-connections.ts';
import { IdleCloser } from './idle-closer.ts';
import { createNameLookup, type NameLookup } from './name-lookup.ts';
import { NodeSockets } from './node-sockets.ts';
import { RequestBuffer } from './request-buffer.ts';
import type { Sockets } from './sockets.ts';
import { ThreadLoad } from './thread-load.ts';
import type { Traffic } from './traffic.ts';
import type { Connections, Transport } from './transport.ts';

export class HttpTransport implements Transport {
  readonly traffic: Traffic = { connections: 0, opened: 0, resumed: 0, reused: 0, moved: 0 };
  readonly #ownMachine: OwnMachine;
  readonly #network: Network;
  /** Idle connections of endpoints without a run, by owner, policy and origin. */
  readonly #parked = new LRUCache<string, HttpConnections>({
    maxSize: PARKED_CONNECTIONS_MAX,
    dispose: (connections, _key, reason) => {
      if (reason === 'evict' || reason === 'set') connections.destroy();
    },
  });
  #closed = false;

  constructor(
    ownMachine: OwnMachine,
    clock: LoopClock & Pick<TimerClock, 'schedule'>,
    lookup: NameLookup = createNameLookup(clock),
    socketsFor: (traffic: Traffic) => Sockets = (traffic) => new NodeSockets(traffic, clock),
    lease = Lease.forever(),
  ) {
    this.#ownMachine = ownMachine;
    this.#network = {
      clock,
      traffic: this.traffic,
      lookup,
      buffer: new RequestBuffer(),
      gate: new HandshakeGate(clock),
      sockets: socketsFor(this.traffic),
      load: new ThreadLoad(clock),
      closer: new IdleCloser(clock),
      lease,
      checking: 0,
    };
  }

  get connectsAhead(): boolean {
    return this.traffic.connections < WARM_CONNECTIONS_MAX;
  }

  get checking(): number {
    return this.#network.checking;
  }

  /** Closes the parked connections. Those in use are closed, not parked, when their owner closes them. */
  close(): void {
    this.#closed = true;
    const parked = [...this.#parked.values()];
    this.#parked.clear();
    for (const connections of parked) connections.destroy();
  }

  connect(owner: string, origin: string, allowLoopback: boolean, account = owner): Connections {
    const key = `${owner} ${allowLoopback} ${origin}`;
    const parked = this.#parked.get(key);
    if (parked !== undefined) {
      this.#parked.delete(key);
      parked.reopen();
      return parked;
    }
    const policy = { ...this.#ownMachine, allowLoopback };
    return new HttpConnections(account, origin, policy, this.#network, {
      park: (connections) => {
        if (this.#closed) connections.destroy();
        else this.#parked.set(key, connections, { size: connections.count });
      },
      unpark: (connections) => {
        if (this.#parked.peek(key) === connections) this.#parked.delete(key);
      },
    });
  }
}
