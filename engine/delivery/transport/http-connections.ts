// The connections to one endpoint. A request takes an idle connection, or waits for the first one that becomes free: a
// new one, or one whose response is complete.
//
// HC1 At most as many connections are being opened as requests wait, plus those that are wanted ahead of requests (HC8, too).
// HC2 A queued handshake that no request needs any more never starts. One that has started is finished and kept.
// HC3 If a connection cannot be established, a waiting request fails, but only if the endpoint has no other connection
//     that will serve it. A suspect endpoint opens one at a time, and all that wait for it share its failure: a handshake
//     for each of them would only cost CPU to learn the same.
// HC4 A request is written once. If its connection ends after that, the attempt has failed: the server may have read it.
//     So a connection takes a request only after the event loop had the chance to notice its end, if it was idle for
//     IDLE_UNCHECKED_MS or has delivered one response only: some servers close after each, without announcing it.
// HC5 While the thread has no time left, requests over TLS to a near endpoint need no more than its connections: those that
//     wait for one take memory, and further connections (TH4) take a handshake each and make nothing faster.
// HC6 The connections of a far endpoint take turns, so that none is closed for being idle: its next burst needs them all,
//     and a new one takes several round trips. A near endpoint uses the one that was used last.
// HC8 A far endpoint for which a burst had to wait gets connections for a larger one (TH7), SPARE_RATIO times what it needed.
// HC7 A request is written only while the lease of this process holds (S12). What waited for a connection when it ran out
//     fails unwritten.

import type { LoopClock } from '#engine/base/clock.ts';
import type { Lease } from '#engine/base/lease.ts';
import { ENDPOINT_CONNECTIONS_MAX, FAR_WAIT_MS, IDLE_UNCHECKED_MS, IN_FLIGHT_MAX } from '#engine/base/limits.ts';
import { type AttemptFailure, failed } from '#engine/delivery/attempt-result.ts';
import { failureOf } from './attempt-failure.ts';
import { checkHost, type EgressPolicy } from './egress-guard.ts';
import type { HandshakeGate, HandshakeSeeker, HandshakeSlot } from './handshake-gate.ts';
import { type ConnectionOwner, HttpConnection } from './http-connection.ts';
import { HttpExchange, type WaitingExchanges } from './http-exchange.ts';
import type { IdleCloser } from './idle-closer.ts';
import { type NameLookup, sparingLookup } from './name-lookup.ts';
import type { RequestBuffer } from './request-buffer.ts';
import type { Sockets } from './sockets.ts';
import type { ThreadLoad } from './thread-load.ts';
import type { Traffic } from './traffic.ts';
import type { Connections, Destination, Exchange, ExchangeListener } from './transport.ts';

/** After so many failures in a row an endpoint is suspect (TH5). A single one may be an accident. */
const SUSPECT_AFTER = 2;
/** Round trips until a new connection takes its first request: TCP and TLS 1.3. Each one in use has served as many by then. */
const OPENING_ROUND_TRIPS = 2;
/** HC8: in the race of decision 0028 the largest burst needs about a quarter more connections than those before it. */
const SPARE_RATIO = 1.25;
/** With one request under way and one that waits, a connection is never idle (HC5). */
const IN_FLIGHT_EACH = 2;
const UNWRITTEN = failed('connection_closed', 'this node lost its lease before it wrote the request');

/** What the connections of all endpoints on a thread share. */
export interface Network {
  readonly clock: LoopClock;
  readonly traffic: Traffic;
  readonly lookup: NameLookup;
  readonly buffer: RequestBuffer;
  readonly gate: HandshakeGate;
  readonly sockets: Sockets;
  readonly load: ThreadLoad;
  readonly closer: IdleCloser;
  readonly lease: Lease;
  /** Connections that are being checked (HC4). */
  checking: number;
}

/** Keeps the idle connections of an endpoint after its actor has closed them. */
export interface Parking {
  park(connections: HttpConnections): void;
  /** The last one is gone. */
  unpark(connections: HttpConnections): void;
}

export class HttpConnections implements Connections, ConnectionOwner, WaitingExchanges, HandshakeSeeker {
  readonly account: string;
  readonly #url: URL;
  readonly #host: string;
  /** The last one, and how requests to it begin. */
  #destination: Destination | null = null;
  #start = '';
  readonly #secure: boolean;
  readonly #policy: EgressPolicy;
  readonly #network: Network;
  readonly #parking: Parking;
  readonly #lookup: NameLookup;
  readonly #idle: HttpConnection[] = [];
  /** Connections being opened, with the slot that each holds at the gate; null for one that took none. */
  readonly #connecting = new Map<HttpConnection, HandshakeSlot | null>();
  /** Connections whose response came before their request was fully sent. They are free once it is. */
  readonly #unsent = new Set<HttpConnection>();
  /** How many connections were idle and will take a request, unless they prove closed (HC4). */
  #checking = 0;
  /** First come, first served. */
  readonly #waiting: HttpExchange[] = [];
  #distanceMs = 0;
  /** Requests that a connection in use serves within FAR_WAIT_MS, if the endpoint is far. */
  #servedInTime = 0;
  #count = 0;
  /** Connections in a row that could not be established. */
  #failures = 0;
  /** Connections still to be opened ahead of requests. */
  #ahead = 0;
  /** Connections still to be opened for later bursts (HC8). */
  #spare = 0;
  #state: 'used' | 'closing' | 'parked' | 'destroyed' = 'used';

  constructor(account: string, origin: string, policy: EgressPolicy, network: Network, parking: Parking) {
    this.account = account;
    this.#url = new URL(origin);
    this.#host = this.#url.host;
    this.#secure = this.#url.protocol === 'https:';
    this.#policy = policy;
    this.#network = network;
    this.#parking = parking;
    this.#lookup = sparingLookup(network.lookup, network.clock);
  }

  /** Connections that are open or being opened. */
  get count(): number {
    return this.#count;
  }

  get unconnected(): boolean {
    return this.#count === 0;
  }

  /** Connections that are about to take a waiting request. */
  get #coming(): number {
    return this.#connecting.size + this.#checking;
  }

  get idleMs(): number {
    return this.#network.clock.idleMs();
  }

  get distanceMs(): number {
    return this.#distanceMs;
  }

  set distanceMs(distanceMs: number) {
    this.#distanceMs = distanceMs;
    if (this.#isFar) this.#servedInTime = Math.floor(FAR_WAIT_MS / distanceMs);
  }

  get #isFar(): boolean {
    return this.#distanceMs > 0;
  }

  /** HC5 */
  get usefulInFlight(): number {
    if (!this.#secure || this.#isFar || !this.#network.load.isFull) return Number.POSITIVE_INFINITY;
    return IN_FLIGHT_EACH * Math.max(1, this.#count);
  }

  get seeking(): boolean {
    if (this.#count >= ENDPOINT_CONNECTIONS_MAX) return false;
    if (this.suspect && this.#connecting.size > 0) return false;
    return this.#coming < this.#waiting.length || this.#ahead > 0 || this.#spare > 0;
  }

  get suspect(): boolean {
    return this.#failures >= SUSPECT_AFTER;
  }

  get waitingSinceMs(): number {
    return this.#isShort
      ? Number.NEGATIVE_INFINITY
      : (this.#waiting[this.#coming]?.waitingSinceMs ?? Number.NEGATIVE_INFINITY);
  }

  get patient(): boolean {
    return this.#spare > 0 && this.#ahead === 0 && !this.#isShort;
  }

  /** Whether the requests that wait at a far endpoint gain by a further connection (TH4). */
  get #isShort(): boolean {
    const opening = this.#connecting.size;
    const served = Math.max(this.#servedInTime, OPENING_ROUND_TRIPS) * (this.#count - opening);
    const waiting = this.#waiting.length - this.#checking;
    return this.#isFar && waiting > served + Math.max(this.#servedInTime, 1) * opening;
  }

  send(destination: Destination, headers: string, body: Uint8Array, listener: ExchangeListener): Exchange {
    if (destination !== this.#destination) {
      this.#destination = destination;
      this.#start = `${destination.method} ${destination.path} HTTP/1.1\r\nhost: ${this.#host}\r\n`;
    }
    const head = `${this.#start}${headers}content-length: ${body.length}\r\n\r\n`;
    const exchange = new HttpExchange(head, body, this, listener);
    const nowMs = this.#network.clock.nowMs();
    const connection = this.#isFar ? this.#idle.shift() : this.#idle.pop();
    if (connection === undefined) {
      exchange.waitingSinceMs = nowMs;
      this.#waiting.push(exchange);
      if (this.#isFar) this.#provide();
      this.#open();
    } else if (connection.responses === 1 || nowMs - connection.idleSinceMs >= IDLE_UNCHECKED_MS) {
      this.#waiting.push(exchange);
      this.#check(connection);
    } else {
      this.#network.traffic.reused++;
      this.#write(connection, exchange);
    }
    return exchange;
  }

  warm(requests: number): void {
    const connections = this.#isFar ? Math.ceil(requests / (1 + this.#servedInTime)) : requests;
    this.#ahead = Math.max(0, connections - this.#count);
    this.#open();
  }

  /** HC8 */
  #provide(): void {
    const requests = this.#count - this.#coming + this.#waiting.length;
    const needed = Math.ceil((SPARE_RATIO * requests) / (1 + this.#servedInTime));
    this.#spare = Math.max(this.#spare, Math.min(needed, IN_FLIGHT_MAX) - this.#count);
  }

  close(): void {
    this.#state = 'closing';
    this.#ahead = 0;
    this.#spare = 0;
    this.#closeUnwanted();
    this.#parkIfUnused();
  }

  /** The endpoint has a run again. */
  reopen(): void {
    this.#state = 'used';
    for (const connection of this.#idle) connection.keepAwake(true);
  }

  /** Closes idle connections now, and busy ones after their exchanges. */
  destroy(): void {
    this.#state = 'destroyed';
    for (const connection of this.#idle.splice(0)) connection.destroy();
    this.#closeUnwanted();
  }

  unsent(connection: HttpConnection): void {
    if (this.#state === 'destroyed') connection.destroy();
    else this.#unsent.add(connection);
  }

  free(connection: HttpConnection): void {
    this.#unsent.delete(connection);
    const isNew = this.#connected(connection);
    if (isNew) this.#failures = 0;
    if (connection.responses === 1 && this.#waiting.length > 0) this.#check(connection);
    else this.#serve(connection, isNew);
  }

  /** Gives the connection a request that waits, or keeps it for a later one. */
  #serve(connection: HttpConnection, isNew: boolean): void {
    const exchange = this.#waiting.shift();
    if (exchange !== undefined) {
      if (!isNew) this.#network.traffic.reused++;
      this.#write(connection, exchange);
    } else if (this.#state === 'destroyed') connection.destroy();
    else {
      connection.idleSinceMs = this.#network.clock.nowMs();
      this.#idle.push(connection);
    }
    // An exchange may just have taken this connection instead of the one being opened for it. No later request will
    // need that one.
    if (this.#state !== 'used') this.#closeUnwanted();
    this.#parkIfUnused();
  }

  idle(connection: HttpConnection): void {
    this.#network.closer.add(connection);
  }

  gone(connection: HttpConnection, failure: AttemptFailure | null): void {
    this.#count--;
    this.#network.traffic.connections--;
    this.#connected(connection);
    this.#unsent.delete(connection);
    if (this.#endCheck(connection)) this.#network.traffic.moved++;
    const place = this.#idle.indexOf(connection);
    if (place !== -1) this.#idle.splice(place, 1);
    if (failure !== null) {
      this.#failures++;
      this.#network.sockets.failed(this.#url.origin);
      this.#failWaiting(failure);
    }
    if (failure === null || this.#count === this.#connecting.size) this.#open();
    if (this.#count === 0 && this.#state === 'parked') this.#parking.unpark(this);
    this.#parkIfUnused();
  }

  leave(exchange: HttpExchange): void {
    const place = this.#waiting.indexOf(exchange);
    if (place !== -1) this.#waiting.splice(place, 1);
    this.#closeUnwanted();
    this.#parkIfUnused();
  }

  /** Opens a connection; `slot` is what its handshake holds at the gate, null if it needs none. */
  begin(slot: HandshakeSlot | null): void {
    const { traffic } = this.#network;
    if (this.#ahead > 0) this.#ahead--;
    else if (this.#spare > 0) this.#spare--;
    try {
      this.#connecting.set(this.#connect(), slot);
      this.#count++;
      traffic.connections++;
      traffic.opened++;
    } catch (refusal) {
      slot?.release();
      const exchange = this.#waiting.shift();
      // The actor must not get the result before its attempt has started.
      if (exchange !== undefined) queueMicrotask(() => exchange.settle(failureOf(refusal as Error)));
    }
  }

  /**
   * Closes connections being opened that no exchange waits for. The oldest go first: they have taken longest already.
   */
  #closeUnwanted(): void {
    if (this.#state === 'destroyed') for (const connection of this.#unsent) connection.destroy();
    for (const connection of this.#connecting.keys()) {
      if (this.#coming <= this.#waiting.length) break;
      connection.destroy();
    }
    if (!this.seeking) this.#network.gate.withdraw(this);
  }

  /** A connection could not be established: fails requests that no other connection will serve (HC3). */
  #failWaiting(failure: AttemptFailure): void {
    if (this.#count > this.#connecting.size) return;
    const unserved = Math.max(0, this.#waiting.length - this.#connecting.size);
    // Those that come while these fail wait for the next one.
    for (const exchange of this.#waiting.splice(0, this.suspect ? unserved : Math.min(1, unserved)))
      exchange.settle(failure);
  }

  #parkIfUnused(): void {
    if (this.#state !== 'closing' || this.#waiting.length > 0 || this.#idle.length < this.#count) return;
    if (this.#count === 0) return;
    this.#state = 'parked';
    for (const connection of this.#idle) connection.keepAwake(false);
    this.#parking.park(this);
  }

  /** The connection is established, or failed. Returns whether it was being opened until now. */
  #connected(connection: HttpConnection): boolean {
    const slot = this.#connecting.get(connection);
    if (slot === undefined) return false;
    this.#connecting.delete(connection);
    slot?.release();
    return true;
  }

  /** Lets a connection that was idle take the next request, unless the event loop notices its end first. */
  #check(connection: HttpConnection): void {
    connection.isChecked = true;
    this.#checking++;
    this.#network.checking++;
    this.#network.clock.afterPoll(connection.polled);
  }

  polled(connection: HttpConnection): void {
    this.#network.checking--;
    if (this.#endCheck(connection)) this.#serve(connection, false);
  }

  /** Returns whether the connection was being checked until now. */
  #endCheck(connection: HttpConnection): boolean {
    if (!connection.isChecked) return false;
    connection.isChecked = false;
    this.#checking--;
    return true;
  }

  #write(connection: HttpConnection, exchange: HttpExchange): void {
    const { buffer, clock, lease } = this.#network;
    exchange.sentAtMs = clock.nowMs();
    if (!lease.holdsAt(exchange.sentAtMs)) {
      // The actor must not get the result before its attempt has started.
      queueMicrotask(() => exchange.settle(UNWRITTEN));
      this.#serve(connection, false);
      return;
    }
    exchange.idleBeforeMs = clock.idleMs();
    const request = buffer.put(exchange.head, exchange.body);
    // Thousands of requests may be under way, and collections of garbage would copy the texts of all.
    exchange.head = '';
    if (!connection.send(exchange, request)) buffer.keep();
  }

  /** Opens as many connections as exchanges wait. TLS, and a connection ahead of need, wait for their turn at the gate. */
  #open(): void {
    while (!this.#secure && this.#coming < this.#waiting.length && this.#count < ENDPOINT_CONNECTIONS_MAX)
      this.begin(null);
    if (this.seeking) this.#network.gate.seek(this);
  }

  #connect(): HttpConnection {
    const { hostname, port } = this.#url;
    checkHost(hostname, port === '' ? (this.#secure ? 443 : 80) : Number(port), this.#policy);
    const to = { url: this.#url, policy: this.#policy, lookup: this.#lookup };
    return new HttpConnection(this, this.#secure, (onread) => this.#network.sockets.open(to, onread));
  }
}
