// The least that plays a race to streams: a bare server and one timer. It sends the bytes of the service at the times of the
// service, what is due together in one write, to all streams alike.
//
// Started by bare-streams-process.ts.

import { encodeUpdate } from '#api/grpc/update-message.ts';
import { encodeEvent } from '#api/streams/event-stream-sink.ts';
import { assert } from '#engine/base/assert.ts';
import type { EncodeUpdate } from '#engine/delivery/stream/stream-timeline.ts';
import type { BareStreamServer } from '../peers/bare-stream-server.ts';
import { serveCalls } from '../peers/http2-calls.ts';
import { serveEvents } from '../peers/uws-event-streams.ts';
import type { StreamProtocol } from '../receivers/stream-receiver-process.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import type { BareStreamsOrder, FromBareStreams, ToBareStreams } from './bare-streams-process.ts';
import { busiestSlice, deriveRace, type RaceSlice } from './race-slice.ts';

const HOST = '127.0.0.1';

interface Protocol {
  readonly serve: (host: string) => Promise<BareStreamServer>;
  readonly encode: EncodeUpdate;
}

const PROTOCOLS: Readonly<Record<StreamProtocol, Protocol>> = {
  sse: { serve: serveEvents, encode: encodeEvent },
  grpc: { serve: serveCalls, encode: encodeUpdate },
};

interface Stage {
  readonly slice: RaceSlice;
  readonly encode: EncodeUpdate;
  readonly server: BareStreamServer;
}

let stage: Stage | null = null;

async function serve({ protocol, recording, lengthMs }: BareStreamsOrder): Promise<void> {
  const { serve: start, encode } = PROTOCOLS[protocol];
  const server = await start(HOST);
  stage = { slice: busiestSlice(deriveRace(recording), lengthMs), encode, server };
  post({ kind: 'serving', address: `http://${HOST}:${server.port}` });
}

function play(speed: number, originMs: number): void {
  assert(stage !== null, 'it was told what to play');
  const { slice, encode, server } = stage;
  const { timeline, from } = slice;
  const { dueMs } = timeline.columns;
  let position = from;
  const advance = (): void => {
    const elapsedMs = (monotonicMs() - originMs) * speed;
    const due: Uint8Array[] = [];
    for (; position < timeline.length && dueMs[position]! <= elapsedMs; position++)
      due.push(encode(timeline, position));
    if (due.length > 0) server.send(due.length === 1 ? due[0]! : Buffer.concat(due));
    if (position === timeline.length) return;
    setTimeout(advance, Math.max(0, Math.ceil(originMs + dueMs[position]! / speed - monotonicMs())));
  };
  advance();
}

function post(message: FromBareStreams): void {
  if (process.connected) process.send!(message);
}

process.on('message', (message: ToBareStreams) => {
  if (message.kind === 'serve') {
    void serve(message);
    return;
  }
  play(message.speed, message.originMs);
  post({ kind: 'playing' });
});
endWithTheBench(async () => {});
