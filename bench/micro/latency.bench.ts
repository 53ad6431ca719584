// Counting latencies: the sketch behind usage, and the histogram of live deliveries.

import { seededRandom } from '#engine/base/random.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import type { Operation } from './operation.ts';

const TIMES = 4_096;

export function prepare(): readonly Operation[] {
  const random = seededRandom(1);
  // From a tenth of a millisecond to ten seconds, spread evenly over the orders of magnitude.
  const latenciesMs = Float64Array.from({ length: TIMES }, () => 10 ** (5 * random.next() - 1));
  const sketch = new LatencySketch();
  const counted = (): number => {
    const before = sketch.sampleCount;
    for (let i = 0; i < TIMES; i++) sketch.add(latenciesMs[i]!);
    return sketch.sampleCount - before;
  };
  const histogram = new ShardMeter().liveStartMs;
  const recorded = (): number => {
    const before = histogram.sum;
    for (let i = 0; i < TIMES; i++) histogram.record(latenciesMs[i]!);
    return histogram.sum > before ? TIMES : 0;
  };
  return [
    { name: 'latency sketch, add', times: TIMES, answer: TIMES, bytes: 0, lap: counted },
    { name: 'lag histogram, record', times: TIMES, answer: TIMES, bytes: 0, lap: recorded },
  ];
}
