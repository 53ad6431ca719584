// A network of scripted receivers under simulated time, behind the engine's `Transport`.

import { type FailureCode, failed } from '#engine/delivery/attempt-result.ts';
import type {
  Connections,
  Destination,
  Exchange,
  ExchangeListener,
  Transport,
} from '#engine/delivery/transport/transport.ts';
import { headerLines } from './header-lines.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** A request that reached a receiver. Some tests have a hundred thousand, so headers are read when somebody asks. */
export class Arrival {
  readonly path: string;
  readonly method: string;
  readonly origin: string;
  atMs: number;
  readonly #lines: string;
  #sequence: number | null = null;

  constructor(origin: string, { path, method }: Destination, lines: string, atMs: number) {
    this.origin = origin;
    this.path = path;
    this.method = method;
    this.#lines = lines;
    this.atMs = atMs;
  }

  get headers(): ReadonlyMap<string, string> {
    return new Map([...headerLines(this.#lines)].map(([name, value]) => [name.toLowerCase(), value]));
  }

  get sequence(): number {
    this.#sequence ??= sequenceIn(this.headers.get('x-service-delivery-id')!);
    return this.#sequence;
  }

  get attempt(): number {
    return Number(this.headers.get('x-service-attempt'));
  }
}

export type Reaction =
  | { readonly kind: 'answer'; readonly status: number; readonly afterMs: number }
  | { readonly kind: 'break'; readonly error: string; readonly afterMs: number }
  | { readonly kind: 'hang' }
  /** The transport itself throws, as a defect of ours would. */
  | { readonly kind: 'throw' };

const CODES: Readonly<Record<string, FailureCode>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ADDRESS_REFUSED: 'not_allowed',
};

export type Behaviour = (arrival: Arrival) => Reaction;

export const answers = (status: number, afterMs = 5): Reaction => ({ kind: 'answer', status, afterMs });

export class SimulatedNetwork implements Transport {
  readonly connectsAhead = true;
  checking = 0;
  /** Whether connections are checked before they take a request, which is written after that. */
  checks = false;
  /** Origins that were connected to ahead of a request, once for each connection. */
  readonly warmed: string[] = [];
  readonly connected: Connections[] = [];
  usefulInFlight = Number.POSITIVE_INFINITY;
  readonly arrivals: Arrival[] = [];
  readonly #time: SimulatedTime;
  readonly #behaviours = new Map<string, Behaviour>();
  inFlight = 0;
  inFlightMost = 0;
  openConnections = 0;
  /** Time that the thread takes to send a request. */
  sendingMs = 0;
  /** Time that the thread takes to read a response. It reads all that have come before it does anything else. */
  readingMs = 0;
  /** How much of the time until a response was spent waiting for a connection. */
  connectingMs: (arrival: Arrival) => number = () => 0;

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  receiver(origin: string, behaviour: Behaviour): void {
    this.#behaviours.set(origin, behaviour);
  }

  at(origin: string): Arrival[] {
    return this.arrivals.filter((arrival) => arrival.origin === origin);
  }

  connect(_owner: string, origin: string): Connections {
    this.openConnections++;
    const connections: Connections = {
      send: (destination, headers, _body, listener) => this.#send(origin, destination, headers, listener),
      distanceMs: 0,
      usefulInFlight: this.usefulInFlight,
      warm: (requests) => void this.warmed.push(...Array.from({ length: requests }, () => origin)),
      close: () => {
        this.openConnections--;
      },
    };
    this.connected.push(connections);
    return connections;
  }

  #send(origin: string, destination: Destination, headers: string, listener: ExchangeListener): Exchange {
    const arrival = new Arrival(origin, destination, headers, this.#time.nowMs());
    const reaction = this.#behaviours.get(origin)?.(arrival) ?? { kind: 'break', error: 'ECONNREFUSED', afterMs: 1 };
    if (reaction.kind === 'throw') throw new Error('a defect in the transport');
    if (this.checks) this.#checked(() => this.#reaches(arrival));
    else this.#reaches(arrival);
    this.arrivals.push(arrival);
    this.inFlight++;
    this.inFlightMost = Math.max(this.inFlightMost, this.inFlight);
    const time = this.#time;
    const sentAtMs = arrival.atMs + this.connectingMs(arrival);
    const exchange = (abandon: () => void): Exchange => ({
      sentAtMs,
      get waitedMs() {
        return time.nowMs() - sentAtMs;
      },
      abandon,
    });
    if (reaction.kind === 'hang') {
      return exchange(() => {
        this.inFlight--;
      });
    }
    const cancel = this.#time.schedule(reaction.afterMs, () => {
      this.inFlight--;
      this.#time.spend(this.readingMs);
      const { kind } = reaction;
      if (kind === 'answer') {
        listener.ended({ kind: 'answered', statusCode: reaction.status, body: `status ${reaction.status}` });
      } else listener.ended(failed(CODES[reaction.error] ?? 'other', reaction.error));
    });
    return exchange(() => {
      cancel();
      this.inFlight--;
    });
  }

  #checked(write: () => void): void {
    this.checking++;
    this.#time.schedule(0, () => {
      this.checking--;
      write();
    });
  }

  #reaches(arrival: Arrival): void {
    this.#time.spend(this.sendingMs);
    arrival.atMs = this.#time.nowMs();
  }
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The last seven digits of a delivery id are the update's sequence. */
function sequenceIn(deliveryId: string): number {
  return [...deliveryId.slice(-7)].reduce((value, digit) => value * 32 + DIGITS.indexOf(digit), 0);
}
