// A stream of updates on its way to one gRPC client.
//
// Messages go to the HTTP/2 stream of the call, below the library's own, which sends one at a time and waits for each: what is
// due together leaves together, in one write (call-wire.ts). The call keeps what its client has not read yet: two turns of the
// stream at most (ST3, ST5).

import { Metadata, type ServerWritableStream } from '@grpc/grpc-js';
import type { RefusalCode } from '#api/http/api-error.ts';
import type { StreamEndCode } from '#api/http/stream-end.ts';
import { formatPlaces } from '#api/streams/stream-place.ts';
import { UpdateBatch } from '#api/streams/update-batch.ts';
import type { StreamTimeline } from '#engine/delivery/stream/stream-timeline.ts';
import type { SessionPlace, StreamSink } from '#engine/delivery/stream/update-stream.ts';
import type { CallWire } from './call-wire.ts';
import { STATUS, statusDetails } from './grpc-status.ts';
import { framed } from './message-frames.ts';
import { updateMessage } from './update-message.ts';

export type UpdatesCall = ServerWritableStream<unknown, Uint8Array>;

export interface GrpcSinkParts {
  readonly call: UpdatesCall;
  /** Below the library's stream. */
  readonly wire: CallWire;
  /** Where the client stands. */
  readonly place: readonly SessionPlace[];
  /** The client has read everything, after `flush` had returned false. */
  readonly drained: () => void;
}

export class GrpcSink implements StreamSink {
  readonly #parts: GrpcSinkParts;
  readonly #batch = new UpdateBatch();
  /** Where the stream stands; null once its client was told. */
  #place: readonly SessionPlace[] | null;

  constructor(parts: GrpcSinkParts) {
    this.#parts = parts;
    this.#place = parts.place;
  }

  /** Tells the client where the stream begins. Call before the first turn. */
  begin(): void {
    const metadata = new Metadata();
    metadata.set('slipstream-cursor', formatPlaces(this.#place!));
    this.#place = null;
    this.#parts.call.sendMetadata(metadata);
  }

  add(timeline: StreamTimeline, position: number, places: readonly SessionPlace[] | null): number {
    const bytes =
      places === null
        ? timeline.encoded(position)
        : framed(updateMessage(timeline.timeline, position, formatPlaces(places)));
    this.#batch.add(bytes);
    return bytes.length;
  }

  flush(): boolean {
    return this.send(this.#batch.take());
  }

  send(updates: Uint8Array): boolean {
    const { wire, drained } = this.#parts;
    if (wire.write(updates)) return true;
    wire.once('drain', drained);
    return false;
  }

  /** After the first update its cursor tells the place. */
  place(places: readonly SessionPlace[]): boolean {
    if (this.#place !== null) this.#place = places;
    return true;
  }

  /** The connection has pings of its own. */
  ping(): boolean {
    return true;
  }
}

/** How a call ends that does not end with OK, as the library takes it. */
export interface Failure {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

export function failure(
  status: number,
  code: StreamEndCode | RefusalCode,
  message: string,
  retryAfterS: string | null = null,
): Failure {
  const metadata = new Metadata();
  metadata.set('slipstream-code', code);
  if (retryAfterS !== null) metadata.set('retry-after', retryAfterS);
  // A message may quote a text of the client, cut anywhere; the library writes it as a URI.
  const details = message.toWellFormed();
  metadata.set('grpc-status-details-bin', statusDetails(status, details, code));
  return { code: status, details, metadata };
}

/** The message is not one of the method's. */
export const MALFORMED = failure(
  STATUS.invalidArgument,
  'invalid_body',
  'The message is not a request of this method.',
);
