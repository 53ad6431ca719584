// What the main thread counts of itself: how it is doing, and the test deliveries, which it sends.

import { CellPlan } from './cell-plan.ts';
import { DELIVERY_CELLS, DeliveryMeter } from './delivery-meter.ts';
import { THREAD_CELLS, ThreadMeter } from './thread-meter.ts';

const plan = new CellPlan();
const TESTS = plan.take(DELIVERY_CELLS);
const THREAD = plan.take(THREAD_CELLS);

export class MainMeter {
  static readonly memory = (): SharedArrayBuffer => plan.memory();
  readonly tests: DeliveryMeter;
  readonly thread: ThreadMeter;

  constructor(memory: SharedArrayBuffer = MainMeter.memory()) {
    const cells = new Float64Array(memory);
    this.tests = new DeliveryMeter(cells, TESTS);
    this.thread = new ThreadMeter(cells, THREAD);
  }
}
