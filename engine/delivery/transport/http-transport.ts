// The real network: kept-alive HTTP/1.1 connections over TCP or TLS, separate for each endpoint. No redirects, no
// decompression, bounded responses; the actor sets the deadlines. If a kept connection turns out to be closed, its
// request is sent a second time at once, over a new connection. That is safe: no byte of a response has arrived, and
// receivers recognise a repeated delivery by its id.
//
// We wrote our own client because the request is most of what a delivery costs: through a general client the same bytes
// take more than twice the time (docs/decisions/0001-own-http-client-for-deliveries.md). It leaves out pipelining,
// HTTP/2, proxies, and every header that no endpoint reads.

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
  /** Made on first use and shared: each costs 0.2 ms and 27 KiB, the first one in a thread 20 ms. */
  #secureContext: SecureContext | null = null;

  /** `isOwnPort`: whether this service listens on that port of this machine. No delivery may reach such a port. */
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
  /**
   * First come, first served. A connection is being opened for each, up to ENDPOINT_CONNECTIONS_MAX connections in all.
   */
  readonly #waiting: HttpExchange[] = [];
  #count = 0;
  #closed = false;
  /** The session of the latest TLS connection, which speeds up the next handshake. */
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
    // An exchange that met a closed connection must get a new one. A kept one might be closed too, and it is not sent a
    // third time.
    const place = isNew ? 0 : this.#waiting.findIndex(({ sentAgain }) => !sentAgain);
    const exchange = place === -1 ? undefined : this.#waiting.splice(place, 1)[0];
    if (exchange !== undefined) {
      if (!isNew) this.#traffic.reused++;
      this.#write(connection, exchange);
    } else if (this.#closed) connection.destroy();
    else this.#idle.push(connection);
    // An exchange may just have taken this connection instead of the one being opened for it. No later request will
    // need that one.
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
      // The server may have forgotten the session, and may say so by closing the connection.
      this.#tlsSession = null;
      // If enough other connections are being opened for those that wait, no exchange waited for this one.
      if (this.#connecting.size < this.#waiting.length) this.#waiting.shift()!.settle(failure);
    }
    this.#open();
  }

  leave(exchange: HttpExchange): void {
    const place = this.#waiting.indexOf(exchange);
    if (place !== -1) this.#waiting.splice(place, 1);
    this.#closeUnwanted();
  }

  /**
   * Closes connections being opened that no exchange waits for. The oldest go first: they have taken longest already.
   */
  #closeUnwanted(): void {
    for (const connection of this.#connecting) {
      if (this.#connecting.size <= this.#waiting.length) return;
      connection.destroy();
    }
  }

  #write(connection: HttpConnection, exchange: HttpExchange): void {
    if (!connection.send(exchange, this.#buffer.put(exchange.head, exchange.body))) this.#buffer.keep();
  }

  /** Opens as many connections as there are waiting exchanges. */
  #open(): void {
    while (this.#connecting.size < this.#waiting.length && this.#count < ENDPOINT_CONNECTIONS_MAX) {
      try {
        this.#connecting.add(this.#connect());
        this.#count++;
        this.#traffic.connections++;
        this.#traffic.opened++;
      } catch (refusal) {
        const exchange = this.#waiting.shift()!;
        // The actor must not get the result before its attempt has started.
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
        // For names only. An address is still checked against the certificate.
        servername: isIP(host) === 0 ? host : '',
        ALPNProtocols: ['http/1.1'],
      };
      if (this.#tlsSession !== null) options.session = this.#tlsSession;
      const socket = connectTls(options);
      // `connectTls` ignores the option `noDelay`.
      socket.setNoDelay(true);
      socket.on('session', (session) => {
        this.#tlsSession = session;
      });
      return socket;
    });
  }
}
