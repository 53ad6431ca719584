// The network of one shard thread, in one of two ways. Over sockets, the engine's own connections carry the requests
// (HC4). Otherwise requests reach the receivers at once, and reactions come back while the thread lives. The engine's
// connections report nothing after `abandon`; this way still does if the deadline was the reason and no retry of that
// delivery has started, in order to test the engine's own guard against late responses (I3).

import assert from 'node:assert/strict';
import { DEADLINE_MS, IN_FLIGHT_MAX, RETRIES_IN_FLIGHT_MAX } from '#engine/base/limits.ts';
import { type AttemptResult, failed } from '#engine/delivery/attempt-result.ts';
import { parseDeliveryId } from '#engine/delivery/sign/delivery-headers.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import type {
  Connections,
  Destination,
  Exchange,
  ExchangeListener,
  Transport,
} from '#engine/delivery/transport/transport.ts';
import { headerLines } from '#test/support/header-lines.ts';
import type { SimulatedTime } from '#test/support/simulated-time.ts';
import type { AttemptEnd, Observed, SeenAttempt, ThreadSeen } from './observed.ts';
import type { Asked, Reaction } from './receivers.ts';
import { SimulatedSockets } from './simulated-sockets.ts';

/** Tells a receiver which attempt it reads. */
const NO_HEADER = 'x-simulated-no';

export interface TransportParts {
  readonly time: SimulatedTime;
  readonly observed: Observed;
  readonly thread: ThreadSeen;
  readonly seed: number;
  readonly sendingMs: number;
  /** The attempts that the shard may have under way. */
  readonly slots: number;
  /** Whether the engine's own connections carry the requests. */
  readonly overSockets: boolean;
  readonly faultsEndMs: number;
  /** The endpoint and the run that a request belongs to. */
  readonly addressee: (origin: string, headers: ReadonlyMap<string, string>) => { endpoint: string; runId: string };
  readonly react: (endpoint: string, asked: Omit<Asked, 'seed' | 'endpoint'>) => Reaction;
  /** Runs the callback of a response on the thread, unless it has died. */
  readonly onThread: (work: () => void) => void;
}

export class SimulatedTransport implements Transport {
  readonly connectsAhead = true;
  openConnections = 0;
  inFlight = 0;
  readonly #parts: TransportParts;
  readonly #underWay = new Set<SeenAttempt>();
  /** By `run endpoint`: attempts under way, and how often the actor was restarted. */
  readonly #held = new Map<string, number>();
  readonly #lives = new Map<string, number>();
  readonly #started = new Map<string, number>();
  /** Attempts over sockets by their number. */
  readonly #sent = new Map<number, SeenAttempt>();
  /** The last attempt that was started for each listener. */
  readonly #latest = new Map<ExchangeListener, SeenAttempt>();

  readonly #sockets: SimulatedSockets;
  /** Null if requests reach receivers at once. */
  readonly #http: HttpTransport | null;

  constructor(parts: TransportParts) {
    this.#parts = parts;
    const { time, onThread } = parts;
    this.#sockets = new SimulatedSockets({
      ...parts,
      received: (request) => this.#received(request),
    });
    const clock = {
      nowMs: () => time.nowMs(),
      wallMs: () => time.wallMs(),
      schedule: (delayMs: number, callback: () => void) => time.schedule(delayMs, () => onThread(callback)),
      afterPoll: (callback: () => void): void => {
        time.schedule(0, () => {
          this.#sockets.poll();
          onThread(callback);
        });
      },
      idleMs: () => time.nowMs(),
    };
    const ownMachine = { isServed: true, isOwnPort: () => false };
    const noLookup = async (): Promise<never> => assert.fail('sockets need no lookup here');
    this.#http = parts.overSockets ? new HttpTransport(ownMachine, clock, noLookup, () => this.#sockets) : null;
  }

  get checking(): number {
    return this.#http?.checking ?? 0;
  }

  get openSockets(): number {
    return this.#sockets.count;
  }

  connect(owner: string, origin: string, localhost: boolean): Connections {
    if (!localhost && isOnThisMachine(origin)) this.#parts.observed.violated(`A7: ${origin} is on this machine`);
    this.openConnections++;
    const real = this.#http?.connect(owner, origin, localhost) ?? null;
    let open = true;
    return {
      send: (destination, headers, body, listener) => this.#send(real, origin, destination, headers, body, listener),
      get distanceMs() {
        return real?.distanceMs ?? 0;
      },
      set distanceMs(distanceMs) {
        if (real !== null) real.distanceMs = distanceMs;
      },
      get usefulInFlight() {
        return real?.usefulInFlight ?? Number.POSITIVE_INFINITY;
      },
      warm: (requests) => real?.warm(requests),
      close: () => {
        if (!open) this.#parts.observed.violated('I2: connections were closed twice');
        open = false;
        this.openConnections--;
        real?.close();
      },
    };
  }

  /** The thread died: the attempts under way have no listener any more. */
  cut(): void {
    for (const attempt of this.#underWay) this.#end(attempt, { kind: 'cut' });
  }

  #send(
    real: Connections | null,
    origin: string,
    destination: Destination,
    lines: string,
    body: Uint8Array,
    listener: ExchangeListener,
  ): Exchange {
    const { time, observed, thread, addressee, react, sendingMs } = this.#parts;
    const headers = new Map([...headerLines(lines)].map(([name, value]) => [name.toLowerCase(), value]));
    const { endpoint, runId } = addressee(origin, headers);
    const actor = `${runId} ${endpoint}`;
    const { sequence } = parseDeliveryId(headers.get('x-service-delivery-id')!)!;
    const attempt = Number(headers.get('x-service-attempt'));
    const key = `${actor} ${sequence} ${attempt}`;
    const before = this.#started.get(key) ?? 0;
    const atMs = time.nowMs();
    const reaction = react(endpoint, { sequence, attempt, atMs, before });
    this.#started.set(key, before + 1);
    observed.note(atMs, () => `${actor} ${sequence}/${attempt} from thread ${thread.thread}: ${reaction.kind}`);
    if (reaction.kind === 'throw') {
      this.#lives.set(actor, (this.#lives.get(actor) ?? 0) + 1);
      observed.restarted.set(actor, [...(observed.restarted.get(actor) ?? []), atMs]);
      throw new Error('a defect in the transport');
    }
    const seen: SeenAttempt = {
      no: observed.nextNo(),
      runId,
      endpoint,
      sequence,
      attempt,
      startedAtMs: atMs,
      wallMs: time.wallMs(),
      url: origin + destination.path,
      method: destination.method,
      headers,
      body,
      thread: thread.thread,
      shard: thread.shard,
      life: this.#lives.get(actor) ?? 0,
      reaction,
      overSockets: real !== null,
      requests: 0,
      ended: null,
    };
    observed.attempts.push(seen);
    this.#latest.set(listener, seen);
    this.#begin(seen, actor);
    if (real !== null) return this.#sendOver(real, seen, actor, destination, lines, listener);
    seen.requests++;
    time.spend(sendingMs);
    if (reaction.kind !== 'hang') time.schedule(reaction.afterMs, () => this.#reacted(seen, reaction, listener));
    return {
      sentAtMs: atMs,
      get waitedMs() {
        return time.nowMs() - atMs;
      },
      abandon: () => this.#abandon(seen, actor),
    };
  }

  #sendOver(
    real: Connections,
    seen: SeenAttempt,
    actor: string,
    destination: Destination,
    lines: string,
    listener: ExchangeListener,
  ): Exchange {
    const { time, sendingMs } = this.#parts;
    this.#sent.set(seen.no, seen);
    const ended = (result: AttemptResult): void => {
      const isAnswer = result.kind === 'answered';
      const status = isAnswer ? result.statusCode : null;
      this.#end(seen, { kind: 'answered', status, error: isAnswer ? null : result.detail });
      listener.ended(result);
    };
    const exchange = real.send(destination, `${lines}${NO_HEADER}: ${seen.no}\r\n`, seen.body, { ended });
    time.spend(sendingMs);
    return {
      get sentAtMs() {
        return exchange.sentAtMs;
      },
      get waitedMs() {
        return exchange.waitedMs;
      },
      abandon: () => {
        exchange.abandon();
        this.#abandon(seen, actor);
      },
    };
  }

  /** A receiver has read a request. Its attempt may have ended for the sender. */
  #received(request: string): Exclude<Reaction, { kind: 'throw' }> {
    const seen = this.#sent.get(Number(headerLines(request).get(NO_HEADER)));
    if (seen === undefined || seen.reaction.kind === 'throw') return assert.fail('a request without an attempt');
    seen.requests++;
    return seen.reaction;
  }

  #reacted(
    seen: SeenAttempt,
    reaction: Exclude<Reaction, { kind: 'hang' | 'throw' }>,
    listener: ExchangeListener,
  ): void {
    const status = reaction.kind === 'answer' ? reaction.status : null;
    const error = reaction.kind === 'answer' ? null : reaction.error;
    this.#parts.onThread(() => {
      if (seen.ended === null) this.#end(seen, { kind: 'answered', status, error });
      else if (this.#latest.get(listener) !== seen || seen.ended.atMs < seen.startedAtMs + DEADLINE_MS) return;
      listener.ended(
        reaction.kind === 'answer'
          ? { kind: 'answered', statusCode: reaction.status, body: `status ${reaction.status}` }
          : failed('connection_reset', reaction.error),
      );
    });
  }

  #abandon(seen: SeenAttempt, actor: string): void {
    const { time, observed } = this.#parts;
    const nowMs = time.nowMs();
    const isOver = nowMs >= seen.startedAtMs + DEADLINE_MS;
    if (!isOver && observed.restarted.get(actor)?.at(-1) !== nowMs)
      observed.violated(`I2: ${actor} gives up on ${seen.sequence}/${seen.attempt} before its deadline`);
    this.#end(seen, { kind: isOver ? 'abandoned' : 'dropped' });
  }

  #begin(seen: SeenAttempt, actor: string): void {
    const { observed } = this.#parts;
    this.#underWay.add(seen);
    this.inFlight++;
    const held = (this.#held.get(actor) ?? 0) + 1;
    this.#held.set(actor, held);
    if (held > IN_FLIGHT_MAX + RETRIES_IN_FLIGHT_MAX) observed.violated(`I2: ${actor} has ${held} attempts under way`);
    if (this.inFlight > this.#parts.slots) observed.violated(`I2: a shard has ${this.inFlight} attempts under way`);
  }

  #end(seen: SeenAttempt, end: AttemptEnd): void {
    if (seen.ended !== null) return;
    const { time, observed } = this.#parts;
    seen.ended = { end, atMs: time.nowMs(), no: observed.nextNo() };
    this.#underWay.delete(seen);
    this.inFlight--;
    const actor = `${seen.runId} ${seen.endpoint}`;
    this.#held.set(actor, this.#held.get(actor)! - 1);
    observed.note(time.nowMs(), () => `${actor} ${seen.sequence}/${seen.attempt} ${end.kind} ${endText(end)}`);
  }
}

export const isOnThisMachine = (url: string): boolean => url.startsWith('http://localhost');

function endText(end: AttemptEnd): string {
  return end.kind === 'answered' ? (end.error ?? String(end.status)) : '';
}
