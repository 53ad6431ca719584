// The real network: kept-alive HTTP/1.1 connections of one endpoint's own, over TCP or TLS. No redirects, no decompression, a
// bounded answer; deadlines are the actor's. A request whose kept connection turns out to be closed goes out once more at once,
// over a new one: no byte of an answer has come, and a receiver tells deliveries apart by their ids.
//
// It is our own because a request is most of what a delivery costs: the same bytes through a general client take more than
// twice the time (docs/decisions/0001-own-http-client-for-deliveries.md). What it leaves out: pipelining, HTTP/2, proxies,
// and every header that no endpoint reads.

import { connect as connectTcp, isIP, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import type { Clock } from '#engine/base/clock.ts';
import { ENDPOINT_CONNECTIONS_MAX } from '#engine/base/limits.ts';
import type { AttemptFailure } from '#engine/delivery/attempt-result.ts';
import { failureOf } from './attempt-failure.ts';
import { checkHost, type EgressPolicy, guardedLookup } from './egress-guard.ts';
import { type ConnectionOwner, HttpConnection } from './http-connection.ts';
import { HttpExchange, type WaitingExchanges } from './http-exchange.ts';
import { createNameLookup, type NameLookup, sparingLookup } from './name-lookup.ts';
import { RequestBuffer } from './request-buffer.ts';
import type { Traffic } from './traffic.ts';
import type { Connections, Destination, Exchange, ExchangeListener, Transport } from './transport.ts';

export class HttpTransport implements Transport {
  readonly traffic: Traffic = { connections: 0, opened: 0, reused: 0, sentAgain: 0 };
  readonly #isOwnPort: (port: number) => boolean;
  readonly #clock: Clock;
  readonly #lookup: NameLookup;
  readonly #buffer = new RequestBuffer();
  /** Made once, when it is needed: each costs a fifth of a millisecond and 27 KiB, and the first one in a thread 20 ms. */
  #secureContext: SecureContext | null = null;

  /** `isOwnPort`: whether this service listens on a port of this machine; no delivery may reach it. */
  constructor(isOwnPort: (port: number) => boolean, clock: Clock, lookup: NameLookup = createNameLookup()) {
    this.#isOwnPort = isOwnPort;
    this.#clock = clock;
    this.#lookup = lookup;
  }

  connect(origin: string, allowLoopback: boolean): Connections {
    const policy = { allowLoopback, isOwnPort: this.#isOwnPort };
    return new HttpConnections(origin, policy, this.#clock, this.traffic, this.#lookup, this.#buffer, () => {
      this.#secureContext ??= createSecureContext();
      return this.#secureContext;
    });
  }
}

class HttpConnections implements Connections, ConnectionOwner, WaitingExchanges {
  readonly #url: URL;
  readonly #host: string;
  readonly #policy: EgressPolicy;
  readonly #clock: Clock;
  readonly #traffic: Traffic;
  readonly #lookup: NameLookup;
  readonly #buffer: RequestBuffer;
  readonly #secureContext: () => SecureContext;
  readonly #idle: HttpConnection[] = [];
  readonly #connecting = new Set<HttpConnection>();
  /** In the order in which they came; each has a connection being made for it, as long as there may be more. */
  readonly #waiting: HttpExchange[] = [];
  #count = 0;
  #closed = false;
  /** Of the latest TLS connection, with which the next one is made faster. */
  #tlsSession: Buffer | null = null;

  constructor(
    origin: string,
    policy: EgressPolicy,
    clock: Clock,
    traffic: Traffic,
    lookup: NameLookup,
    buffer: RequestBuffer,
    secureContext: () => SecureContext,
  ) {
    this.#url = new URL(origin);
    this.#host = this.#url.host;
    this.#policy = policy;
    this.#clock = clock;
    this.#traffic = traffic;
    this.#lookup = sparingLookup(lookup, clock);
    this.#buffer = buffer;
    this.#secureContext = secureContext;
  }

  send(destination: Destination, headers: string, body: Uint8Array, listener: ExchangeListener): Exchange {
    const { method, path } = destination;
    const head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n${headers}content-length: ${body.length}\r\n\r\n`;
    const exchange = new HttpExchange(head, body, this, listener);
    const connection = this.#idle.pop();
    if (connection === undefined) {
      this.#waiting.push(exchange);
      this.#open();
    } else {
      this.#traffic.reused++;
      this.#write(connection, exchange);
    }
    return exchange;
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
    this.#closeUnwanted();
  }

  free(connection: HttpConnection): void {
    const isNew = this.#connecting.delete(connection);
    // One that found its connection closed waits for a new one: the next kept one may be closed as well, and there is no third time.
    const place = isNew ? 0 : this.#waiting.findIndex(({ sentAgain }) => !sentAgain);
    const exchange = place === -1 ? undefined : this.#waiting.splice(place, 1)[0];
    if (exchange !== undefined) {
      if (!isNew) this.#traffic.reused++;
      this.#write(connection, exchange);
    } else if (this.#closed) connection.destroy();
    else this.#idle.push(connection);
    // What took the place of a connection that is being made leaves it for later requests, of which there are none now.
    if (this.#closed) this.#closeUnwanted();
  }

  stale(exchange: HttpExchange): void {
    this.#traffic.sentAgain++;
    exchange.sentAgain = true;
    exchange.connection = null;
    this.#waiting.unshift(exchange);
  }

  gone(connection: HttpConnection, failure: AttemptFailure | null): void {
    this.#count--;
    this.#traffic.connections--;
    this.#connecting.delete(connection);
    const place = this.#idle.indexOf(connection);
    if (place !== -1) this.#idle.splice(place, 1);
    if (failure !== null) {
      // The other side may not know that session any more, and say so by ending the connection.
      this.#tlsSession = null;
      // With as many being made as are waited for, nobody waited for this one.
      if (this.#connecting.size < this.#waiting.length) this.#waiting.shift()!.settle(failure);
    }
    this.#open();
  }

  leave(exchange: HttpExchange): void {
    const place = this.#waiting.indexOf(exchange);
    if (place !== -1) this.#waiting.splice(place, 1);
    this.#closeUnwanted();
  }

  /** Connections that are being made and for which nobody waits: the oldest first, which takes longest already. */
  #closeUnwanted(): void {
    for (const connection of this.#connecting) {
      if (this.#connecting.size <= this.#waiting.length) return;
      connection.destroy();
    }
  }

  #write(connection: HttpConnection, exchange: HttpExchange): void {
    if (!connection.send(exchange, this.#buffer.put(exchange.head, exchange.body))) this.#buffer.keep();
  }

  /** Begins as many connections as are waited for. */
  #open(): void {
    while (this.#connecting.size < this.#waiting.length && this.#count < ENDPOINT_CONNECTIONS_MAX) {
      try {
        this.#connecting.add(this.#connect());
        this.#count++;
        this.#traffic.connections++;
        this.#traffic.opened++;
      } catch (refusal) {
        const exchange = this.#waiting.shift()!;
        // The actor hears of it after the attempt has started, not before.
        queueMicrotask(() => exchange.settle(failureOf(refusal as Error)));
      }
    }
  }

  #connect(): HttpConnection {
    const { hostname, port: givenPort, protocol } = this.#url;
    const secure = protocol === 'https:';
    const port = givenPort === '' ? (secure ? 443 : 80) : Number(givenPort);
    checkHost(hostname, port, this.#policy);
    const host = hostname.replace(/^\[|\]$/g, '');
    const to: TcpNetConnectOpts = {
      host,
      port,
      noDelay: true,
      autoSelectFamily: true,
      // The types of our lookup and of node:net disagree on overloads only.
      lookup: guardedLookup(this.#policy, this.#lookup) as never,
    };
    if (!secure) return new HttpConnection(this, this.#clock, 'connect', (onread) => connectTcp({ ...to, onread }));
    return new HttpConnection(this, this.#clock, 'secureConnect', (onread) => {
      const options: ConnectionOptions & TcpNetConnectOpts = {
        ...to,
        onread,
        secureContext: this.#secureContext(),
        // Names only: an address is checked against the certificate all the same.
        servername: isIP(host) === 0 ? host : '',
        ALPNProtocols: ['http/1.1'],
      };
      if (this.#tlsSession !== null) options.session = this.#tlsSession;
      const socket = connectTls(options);
      // Of the options of a TCP connection this one is not heeded there.
      socket.setNoDelay(true);
      socket.on('session', (session) => {
        this.#tlsSession = session;
      });
      return socket;
    });
  }
}
