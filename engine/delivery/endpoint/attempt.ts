// Starts an attempt: signs it, sends it and sets its deadline. Runs and tests share it.

import type { Clock } from '#engine/base/clock.ts';
import { DEADLINE_MS } from '#engine/base/limits.ts';
import type { TimerWheel } from '#engine/base/timer-wheel.ts';
import type { Recorder } from '#engine/delivery/delivery-log/recorder.ts';
import type { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import type { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import type { Connections, Transport } from '#engine/delivery/transport/transport.ts';
import type { Delivery, DeliverySupervisor, Slot } from './delivery.ts';
import type { EndpointState } from './endpoint-state.ts';

/** What a shard offers to everything that makes attempts. */
export interface AttemptHost extends DeliverySupervisor {
  readonly clock: Clock;
  /** The clocks when the present turn began or the present result arrived: `nowMs` monotonic, `wallMs` Unix time. */
  readonly nowMs: number;
  readonly wallMs: number;
  readonly wheel: TimerWheel<Delivery>;
  readonly transport: Transport;
  readonly recorder: Recorder;
  readonly meter: ShardMeter;
}

/** `nowMs` is monotonic, `wallMs` Unix time, both of this moment. */
export function startAttempt(
  host: AttemptHost,
  delivery: Delivery,
  slot: Slot,
  connections: Connections,
  endpoint: EndpointState,
  headers: DeliveryHeaders,
  idPrefix: string,
  feedId: string,
  sequence: number,
  body: Uint8Array,
  nowMs: number,
  wallMs: number,
): void {
  const attempt = delivery.attemptsMade + 1;
  const ours = headers.forAttempt(endpoint.signer, idPrefix, feedId, sequence, attempt, body, wallMs);
  const lines = endpoint.settings.headerLines + ours;
  const exchange = connections.send(endpoint.destination, lines, body, delivery);
  delivery.sending(slot, exchange, nowMs, wallMs);
  host.wheel.start(delivery.timer, nowMs + DEADLINE_MS);
}
