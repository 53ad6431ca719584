// A shard on the main thread of its process, with the real delivery log: for benches that need to see its memory, its
// connections or its clock. In the service, shards have threads of their own (workers/shard.ts).

import type { Clock } from '#engine/base/clock.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { Shard } from '#engine/delivery/shard/shard.ts';
import type { ToShard } from '#engine/delivery/shard/shard-messages.ts';
import type { Transport } from '#engine/delivery/transport/transport.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { createLog } from '#workers/log.ts';

export interface MainThreadShardParts {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly sql: Sql;
  readonly log: ReturnType<typeof createLog>;
  /** Called when every delivery of a run is settled and recorded. */
  readonly settled: () => void;
}

const SLEEP_MS_MAX = 1_000;

export class MainThreadShard {
  readonly #shard: Shard;
  readonly #drained = Promise.withResolvers<void>();
  #awake = false;
  #sleep: NodeJS.Timeout | undefined;

  constructor({ clock, transport, sql, log, settled }: MainThreadShardParts) {
    this.#shard = new Shard({
      clock,
      transport,
      store: new PostgresRecordStore(sql),
      writer: { name: 'bench', epoch: 1 },
      keep: () => 0,
      headerPrefix: 'X-Service',
      liveToLocalhost: false,
      meter: new ShardMeter(),
      finished: null,
      watch: () => () => {},
      notify: (message) => {
        if (message.kind === 'run.settled') settled();
        else if (message.kind === 'drained') this.#drained.resolve();
      },
      wake: () => this.wake(),
      reportProblem: (what, error) => log.error({ err: error }, what),
    });
  }

  receive(message: ToShard): void {
    this.#shard.receive(message);
  }

  /** The shard may have work now, because its clock was changed. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    setImmediate(() => this.#advance());
  }

  /** Finishes the attempts in flight and records everything. */
  drain(): Promise<void> {
    this.receive({ kind: 'drain' });
    return this.#drained.promise;
  }

  #advance(): void {
    this.#awake = false;
    clearTimeout(this.#sleep);
    const delayMs = this.#shard.advance();
    if (delayMs === 0) this.wake();
    else this.#sleep = setTimeout(() => this.#advance(), Math.min(Math.max(1, Math.floor(delayMs)), SLEEP_MS_MAX));
  }
}
