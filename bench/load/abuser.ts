// A process that floods a server over many connections at once. Started by abuser-process.ts. It has the lowest priority: an
// abuser's client runs on another machine, and takes no core from the service.

import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import type { AbuseOrder, FromAbuser, ToAbuser } from './abuser-process.ts';

/** Connections opened at once; more would overflow the server's backlog. */
const OPENED_AT_ONCE = 100;
const TRICKLE_MS = 1_000;
/** A request is not held back for so little, which is less than a timer's delay on busy cores. */
const EARLY_MS_MAX = 5;

/** One flood, until it is stopped. */
class Flood {
  readonly answers: Record<string, number> = {};
  readonly #order: AbuseOrder;
  readonly #open = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #sentMs: number[] = [];
  #next = 0;
  #begunMs: number | null = null;
  #stopped = false;

  constructor(order: AbuseOrder) {
    this.#order = order;
  }

  async connect(): Promise<void> {
    const { connections } = this.#order;
    for (let opened = 0; opened < connections; opened += OPENED_AT_ONCE) {
      const batch = Math.min(OPENED_AT_ONCE, connections - opened);
      await Promise.all(Array.from({ length: batch }, (_, index) => this.#connect(opened + index)));
    }
  }

  begin(): void {
    this.#begunMs = monotonicMs();
    for (const socket of this.#open) this.#send(socket);
    if (!this.#order.slow) return;
    const trickle = setInterval(() => {
      for (const socket of this.#open) socket.write(' ');
    }, TRICKLE_MS);
    this.#timers.add(trickle);
  }

  get sentMs(): Float64Array {
    return new Float64Array(this.#sentMs);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#open) socket.destroy();
  }

  #connect(index: number): Promise<void> {
    const { port, addresses } = this.#order;
    const localAddress = addresses[index % addresses.length]!;
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true }, () => {
        this.#open.add(socket);
        if (this.#begunMs !== null) this.#send(socket);
        resolve();
      });
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
        if (!isWhole(text)) return;
        this.#count(text.slice(9, 12));
        text = '';
        this.#later(this.#order.pauseMs, () => this.#send(socket));
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#open.delete(socket);
        resolve();
        if (this.#stopped) return;
        if (text === '' && this.#begunMs !== null) this.#count('closed');
        this.#later(this.#order.pauseMs, () => void this.#connect(index));
      });
    });
  }

  /** Sends the next request, when the schedule allows it. */
  #send(socket: Socket): void {
    if (socket.destroyed) return;
    const { requests, scheduleMs } = this.#order;
    const number = this.#next++;
    const request = requests[number % requests.length]!;
    const dueMs = scheduleMs === null ? 0 : scheduleMs[number];
    if (dueMs === undefined) return;
    const earlyMs = dueMs - this.#sinceBegunMs();
    if (earlyMs > EARLY_MS_MAX) this.#later(earlyMs, () => this.#write(socket, request));
    else this.#write(socket, request);
  }

  #write(socket: Socket, request: string): void {
    if (socket.destroyed) return;
    this.#sentMs.push(this.#sinceBegunMs());
    socket.write(request, 'latin1');
  }

  #sinceBegunMs(): number {
    return monotonicMs() - this.#begunMs!;
  }

  #later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#stopped) work();
    }, delayMs);
    this.#timers.add(timer);
  }

  #count(what: string): void {
    this.answers[what] = (this.answers[what] ?? 0) + 1;
  }
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length;
}

function send(message: FromAbuser): void {
  if (process.connected) process.send!(message);
}

setPriority(constants.priority.PRIORITY_LOW);

let flood: Flood | null = null;

process.on('message', async (message: ToAbuser) => {
  switch (message.kind) {
    case 'connect':
      flood = new Flood(message);
      await flood.connect();
      send({ kind: 'connected' });
      break;
    case 'begin':
      flood!.begin();
      send({ kind: 'begun' });
      break;
    case 'stop':
      flood!.stop();
      send({ kind: 'stopped', answers: flood!.answers, sentMs: flood!.sentMs });
      break;
  }
});
endWithTheBench(async () => {});
