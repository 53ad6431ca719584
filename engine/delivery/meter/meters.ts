// The memory of all meters of a service: one for each thread, which alone writes it. Plain data, for every thread.

import { ShardMeter } from './shard-meter.ts';
import { ThreadMeter } from './thread-meter.ts';

export interface Meters {
  readonly main: SharedArrayBuffer;
  readonly live: SharedArrayBuffer;
  readonly operators: SharedArrayBuffer;
  /** By the number of the shard. */
  readonly shards: readonly SharedArrayBuffer[];
}

export function newMeters(shards: number): Meters {
  return {
    main: ThreadMeter.memory(),
    live: ThreadMeter.memory(),
    operators: ThreadMeter.memory(),
    shards: Array.from({ length: shards }, () => ShardMeter.memory()),
  };
}
