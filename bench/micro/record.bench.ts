// Recording an attempt that ended: its row in the delivery log, usage and latency, until the batch goes to a store that
// keeps nothing.

import { systemClock } from '#engine/base/clock.ts';
import { RECORD_BATCH_ATTEMPTS } from '#engine/base/limits.ts';
import { newCheckpoint } from '#engine/delivery/delivery-log/record-store.ts';
import { Recorder } from '#engine/delivery/delivery-log/recorder.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { endpoint } from './endpoint.ts';
import type { Operation } from './operation.ts';

export function prepare(): readonly Operation[] {
  const { webhookId, accountId } = endpoint();
  let written = 0;
  const recorder = new Recorder({
    store: {
      admit: async () => {},
      commit: async ({ attempts }) => {
        written = attempts.length;
      },
      checkpoints: async () => [],
    },
    clock: systemClock,
    meter: new ShardMeter().records,
    writer: { name: 'bench', epoch: 1 },
    wake: () => {},
    keep: () => 0,
    reportProblem: (error) => {
      throw error;
    },
  });
  const checkpoint = newCheckpoint('run_01k2bench000000000000000000', webhookId);
  const actor = {
    failed: (error: Error) => {
      throw error;
    },
    checkpoint: () => checkpoint,
  };
  const ledger = recorder.openLedger(accountId);
  const feed = feedNumber('timing.data')!;
  const lap = async (): Promise<number> => {
    const createdAtMs = systemClock.wallMs();
    for (let sequence = 1; sequence <= RECORD_BATCH_ATTEMPTS; sequence++) {
      const latencyMs = 1 + sequence / RECORD_BATCH_ATTEMPTS;
      recorder.attempt(
        actor,
        ledger,
        {
          webhookNo: 1,
          runNo: 1,
          mode: 'replay',
          feed,
          sequence,
          attempt: 1,
          result: { kind: 'answered', statusCode: 200, body: 'ok' },
          latencyMs,
          lagMs: latencyMs,
          createdAtMs,
        },
        latencyMs,
      );
    }
    const done = Promise.withResolvers<void>();
    recorder.whenWritten(done.resolve);
    recorder.advance(systemClock.nowMs());
    await done.promise;
    return written;
  };
  return [{ name: 'record an attempt', times: RECORD_BATCH_ATTEMPTS, answer: RECORD_BATCH_ATTEMPTS, lap }];
}
