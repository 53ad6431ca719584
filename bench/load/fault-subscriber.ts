// A subscriber that loses its connection again and again, and notes every update that it gets.

import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '#engine/base/random.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import type { StreamProtocol, Subscription } from './stream-protocol.ts';

/** On average. */
const CUT_AFTER_MS = 1_000;
const COME_BACK_MS_MAX = 150;

export interface SubscriberParts {
  readonly protocol: StreamProtocol;
  readonly subscription: Subscription;
  readonly token: string;
  /** The service, wherever it runs now. */
  readonly address: () => string;
  /** Cuts every other connection; the subscriber itself the rest. */
  readonly proxy: CuttingProxy;
  readonly random: Random;
}

export class FaultSubscriber {
  readonly subscription: Subscription;
  readonly sequences: number[] = [];
  /** What was wrong, in words. */
  readonly wrongs: string[] = [];
  connections = 0;
  cuts = 0;
  /** Bodies by sequence, of all subscribers of the session: each must get the same. */
  readonly #bodies: Map<number, string>;
  readonly #parts: SubscriberParts;
  #place = '';
  #ends = false;
  #cut: () => void = () => {};
  readonly #over: Promise<void>;

  constructor(parts: SubscriberParts, bodies: Map<number, string>) {
    this.#parts = parts;
    this.subscription = parts.subscription;
    this.#bodies = bodies;
    this.#over = this.#subscribe();
  }

  get last(): number {
    return this.sequences.at(-1) ?? 0;
  }

  /** Whether the stream is completed, or something was wrong. */
  isOver = false;

  /** Leaves for good. */
  async end(): Promise<void> {
    this.#ends = true;
    this.#cut();
    await this.#over;
  }

  async #subscribe(): Promise<void> {
    const { protocol, subscription, token, address, proxy, random } = this.#parts;
    while (!this.#ends && !this.isOver) {
      const overProxy = this.connections % 2 === 0;
      const where = overProxy ? proxy.address : address();
      this.connections++;
      const connection = protocol(where, token, subscription, this.#place, {
        update: ({ place, body }) => {
          this.#place = place;
          this.#note(body);
        },
        placed: (place) => {
          this.#place = place;
        },
      });
      this.#cut = connection.cut;
      const timer = setTimeout(
        () => {
          this.cuts++;
          if (overProxy) proxy.cut(connection.port());
          else connection.cut();
        },
        -Math.log(1 - random.next()) * CUT_AFTER_MS,
      );
      const end = await connection.ended;
      clearTimeout(timer);
      connection.cut();
      if (end.kind === 'wrong') this.wrongs.push(end.what);
      this.isOver = end.kind !== 'broken';
      if (!this.isOver && !this.#ends) await pause(random.next() * COME_BACK_MS_MAX);
    }
  }

  #note(body: string): void {
    const { sequence } = JSON.parse(body) as { sequence: number };
    this.sequences.push(sequence);
    const known = this.#bodies.get(sequence);
    if (known === undefined) this.#bodies.set(sequence, body);
    else if (known !== body) this.wrongs.push(`another body for the sequence ${sequence}`);
  }
}
