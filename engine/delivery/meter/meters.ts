// The memory of all meters of a service, one for each thread. Only that thread writes it; every thread may read it.

import { ShardMeter } from './shard-meter.ts';
import { ThreadMeter } from './thread-meter.ts';

export interface Meters {
  readonly main: SharedArrayBuffer;
  readonly live: SharedArrayBuffer;
  readonly operators: SharedArrayBuffer;
  /** By shard number. */
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
