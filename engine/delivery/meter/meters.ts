// The memory of all meters of a service, one for each thread. Only that thread writes it; every thread may read it.

import { ShardMeter } from './shard-meter.ts';
import { StreamMeter } from './stream-meter.ts';
import { ThreadMeter } from './thread-meter.ts';

export interface Meters {
  readonly main: SharedArrayBuffer;
  readonly live: SharedArrayBuffer;
  readonly operators: SharedArrayBuffer;
  /** Null: there is no such thread. */
  readonly grpc: SharedArrayBuffer | null;
  /** By protocol. */
  readonly streams: Readonly<Record<'sse' | 'grpc', SharedArrayBuffer>>;
  /** By shard number. */
  readonly shards: readonly SharedArrayBuffer[];
}

export function newMeters(shards: number, { grpc = false } = {}): Meters {
  return {
    main: ThreadMeter.memory(),
    live: ThreadMeter.memory(),
    operators: ThreadMeter.memory(),
    grpc: grpc ? ThreadMeter.memory() : null,
    streams: { sse: StreamMeter.memory(), grpc: StreamMeter.memory() },
    shards: Array.from({ length: shards }, () => ShardMeter.memory()),
  };
}
