// Whether deliveries are being made on this machine, for threads that give way to them.

import { STREAM_QUIET_MS } from '#engine/base/limits.ts';
import { ShardMeter } from './shard-meter.ts';

export interface DeliveryActivity {
  /** How many attempts are under way. */
  underWay(): number;
  /** Whether any were within STREAM_QUIET_MS. Call it often: what ended between two calls counts as of the second. */
  isRecent(nowMs: number): boolean;
}

/** That of all shards, as their meters show it. */
export class ShardsActivity implements DeliveryActivity {
  readonly #meters: readonly ShardMeter[];
  #ended = 0;
  #seenAtMs = Number.NEGATIVE_INFINITY;

  constructor(shards: readonly SharedArrayBuffer[]) {
    this.#meters = shards.map((memory) => new ShardMeter(memory));
  }

  underWay(): number {
    let sum = 0;
    for (const { gauges } of this.#meters) sum += gauges.value('inFlight');
    return sum;
  }

  isRecent(nowMs: number): boolean {
    let ended = 0;
    for (const { deliveries } of this.#meters) ended += deliveries.live.attemptsEnded + deliveries.replay.attemptsEnded;
    if (ended !== this.#ended || this.underWay() > 0) this.#seenAtMs = nowMs;
    this.#ended = ended;
    return nowMs - this.#seenAtMs < STREAM_QUIET_MS;
  }
}
