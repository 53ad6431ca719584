// Everything that the engine does for one delivery, without network and database: a real shard plays a timeline to an
// endpoint whose connections respond 200 at once, with a store that keeps nothing. Starting the run is included, a few
// percent.

import { syntheticArtifact } from '#bench/engines/synthetic-timeline.ts';
import { systemClock } from '#engine/base/clock.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import type { RecordBatch, RecordStore } from '#engine/delivery/delivery-log/record-store.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import { Shard } from '#engine/delivery/shard/shard.ts';
import type { Connections, Exchange, ExchangeListener, Transport } from '#engine/delivery/transport/transport.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { endpoint } from './endpoint.ts';
import type { Operation } from './operation.ts';

const UPDATES = 192;
const BODY_BYTES = 450;

const EXCHANGE: Exchange = { sentAtMs: 0, waitedMs: 0, abandon: () => {} };

/** Responds to all requests sent so far when `answerAll` is called. */
class InstantTransport implements Transport {
  readonly connectsAhead = false;
  readonly checking = 0;
  #waiting: ExchangeListener[] = [];
  readonly #connections: Connections = {
    send: (_destination, _headers, _body, listener) => {
      this.#waiting.push(listener);
      return EXCHANGE;
    },
    distanceMs: 0,
    usefulInFlight: Number.POSITIVE_INFINITY,
    warm: () => {},
    close: () => {},
  };

  connect(): Connections {
    return this.#connections;
  }

  answerAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const listener of waiting) listener.ended({ kind: 'answered', statusCode: 200, body: 'ok' });
  }
}

/** Counts the attempts that the delivery log would show as delivered. */
class CountingStore implements RecordStore {
  delivered = 0;

  async commit({ attempts }: RecordBatch): Promise<void> {
    for (const { result } of attempts) if (isDelivered(result)) this.delivered++;
  }

  async admit(): Promise<void> {}

  async checkpoints(): Promise<[]> {
    return [];
  }
}

export async function prepare(): Promise<readonly Operation[]> {
  const artifact = await syntheticArtifact(UPDATES, 1, BODY_BYTES);
  const settings = endpoint();
  const transport = new InstantTransport();
  const store = new CountingStore();
  let settled = 0;
  const shard = new Shard({
    clock: systemClock,
    transport,
    store,
    writer: { name: 'bench', epoch: 1 },
    keep: () => 0,
    headerPrefix: 'X-Service',
    liveToLocalhost: false,
    meter: new ShardMeter(),
    finished: null,
    watch: () => () => {},
    notify: ({ kind }) => {
      if (kind === 'run.settled') settled++;
    },
    wake: () => {},
    reportProblem: (_what, error) => {
      throw error;
    },
  });
  let runs = 0;
  const lap = async (): Promise<number> => {
    runs++;
    const run: RunOrder = {
      mode: 'replay',
      runId: `run_${runs}`,
      runNo: runs,
      sessionId: 'synthetic',
      accountId: settings.accountId,
      speed: Number.POSITIVE_INFINITY,
      pacedFromMs: systemClock.nowMs(),
      allFeeds: false,
      allowance: allowanceCell(),
    };
    store.delivered = 0;
    const state = { resumed: false, deleted: [], stopping: null, parking: false };
    shard.receive({ kind: 'run.start', run, timeline: artifact, endpoints: [settings], ...state });
    while (settled < runs) {
      shard.advance();
      transport.answerAll();
      await null;
    }
    return store.delivered;
  };
  return [{ name: 'a delivery, without network and database', times: UPDATES, answer: UPDATES, lap }];
}
