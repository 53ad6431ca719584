// How many attempts are under way, for threads that give way to them.

import { ShardMeter } from './shard-meter.ts';

/** Returns how many attempts of these shards are under way. */
export function attemptsUnderWay(shards: readonly SharedArrayBuffer[]): () => number {
  const meters = shards.map((memory) => new ShardMeter(memory));
  return () => meters.reduce((sum, { gauges }) => sum + gauges.value('inFlight'), 0);
}
