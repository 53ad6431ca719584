// Clients of streams in their own process, as cheap as they can be: server-sent events over bare sockets, gRPC over
// node:http2 with a hundred calls on each connection. They time when each update was read whole.
//
// Started by stream-receiver-process.ts.

import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { ProtobufWriter } from '#api/grpc/protobuf-writer.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { awaitAll } from './await-all.ts';
import type { FromStreamReceiver, StreamOrder, ToStreamReceiver } from './stream-receiver-process.ts';

const CALLS_EACH = 100;
/** What clients of gRPC take in before they say so: those of Go and C grow to such sizes by themselves. */
const WINDOW_BYTES = 1_048_576;
/** An event's id is in its first characters. */
const ID_CHARS = 200;
/** The first character of every event. */
const ID = 'i'.charCodeAt(0);
const END_OF_EVENT = Buffer.from('\n\n');
/** The system fills it for one socket after the other: to allocate one for each read cost more than to look at what it has. */
const READ_BUFFER = Buffer.allocUnsafeSlow(256 * 1_024);

let count = 0;
let first = 1;
let updates = 0;
let atMs = new Float64Array(0);
let highest = new Uint32Array(0);
const counts = { distinct: 0, doubled: 0, misordered: 0, ended: 0 };
const sockets: Socket[] = [];
const sessions: ClientHttp2Session[] = [];

function received(stream: number, sequence: number, nowMs: number): void {
  if (sequence <= highest[stream]!) counts.misordered++;
  highest[stream] = sequence;
  if (sequence < first || sequence >= first + updates) return;
  const place = stream * updates + (sequence - first);
  if (atMs[place] === 0) {
    atMs[place] = nowMs;
    counts.distinct++;
  } else {
    counts.doubled++;
  }
}

async function open(order: StreamOrder): Promise<void> {
  const from = count;
  count += order.count;
  const higher = new Uint32Array(count);
  higher.set(highest);
  highest = higher;
  const streams = Array.from({ length: order.count }, (_, index) => from + index);
  if (order.protocol === 'sse') {
    await Promise.all(streams.map((stream) => openEvents(order, stream)));
    return;
  }
  for (let begin = 0; begin < streams.length; begin += CALLS_EACH) {
    const session = connectHttp2(order.address, order.reads ? { settings: { initialWindowSize: WINDOW_BYTES } } : {});
    await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject));
    session.on('error', () => {});
    // Else one call that is not read would stop the others of its connection, which would hide what they cost.
    session.setLocalWindowSize(WINDOW_BYTES * CALLS_EACH);
    sessions.push(session);
    await Promise.all(streams.slice(begin, begin + CALLS_EACH).map((stream) => openCall(order, session, stream)));
  }
}

function openEvents({ address, token, session, run, after, reads }: StreamOrder, stream: number): Promise<void> {
  const { hostname, port } = new URL(address);
  const query = new URLSearchParams({
    ...(session !== undefined && { session }),
    ...(run !== undefined && { run }),
    ...(after !== undefined && { after: String(after) }),
  });
  return new Promise((resolve, reject) => {
    let rest: Buffer | null = null;
    let isOpen = false;
    const take = (read: Buffer): void => {
      const nowMs = monotonicMs();
      if (!isOpen) {
        const head = read.toString('latin1');
        if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head));
        isOpen = true;
        if (!reads) socket.pause();
        resolve();
      }
      const bytes = rest === null ? read : Buffer.concat([rest, read]);
      let begin = 0;
      for (let end = bytes.indexOf(END_OF_EVENT); end >= 0; end = bytes.indexOf(END_OF_EVENT, begin)) {
        // Comments have ids too, but no event.
        const id = /id: \S*?:(\d+)~\d+\nevent/.exec(bytes.toString('latin1', begin, Math.min(end, begin + ID_CHARS)));
        if (id !== null) received(stream, Number(id[1]), nowMs);
        begin = end + END_OF_EVENT.length;
      }
      // The end of a chunk of HTTP tells nothing.
      rest = bytes.length - begin <= 2 && bytes[begin] !== ID ? null : Buffer.from(bytes.subarray(begin));
    };
    const onread = {
      buffer: READ_BUFFER,
      callback: (length: number): boolean => {
        take(READ_BUFFER.subarray(0, length));
        return true;
      },
    };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    sockets.push(socket);
    socket.once('error', reject);
    socket.once('close', () => counts.ended++);
    socket.write(`GET /v1/stream?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  });
}

function openCall(order: StreamOrder, session: ClientHttp2Session, stream: number): Promise<void> {
  const call = session.request({
    ':method': 'POST',
    ':path': '/slipstream.v1.Updates/Subscribe',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${order.token}`,
  });
  call.end(framed(requestOf(order)));
  call.on('close', () => counts.ended++);
  let rest: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer): void => {
    const nowMs = monotonicMs();
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1);
      received(stream, sequenceOf(rest), nowMs);
      rest = rest.subarray(end);
    }
  };
  return new Promise((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (headers) => {
      if (headers['slipstream-cursor'] === undefined) reject(new Error(String(headers['grpc-message'])));
      if (order.reads) call.on('data', take);
      resolve();
    });
  });
}

function requestOf({ session, run, after }: StreamOrder): Buffer {
  const request = new ProtobufWriter();
  if (session !== undefined) request.text(1, session);
  if (run !== undefined) request.text(2, run);
  if (after !== undefined) request.number(5, after);
  return request.written();
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Of a framed Update: its third field, behind two short texts. */
function sequenceOf(frame: Buffer): number {
  let at = 5;
  at += 2 + frame[at + 1]!;
  at += 2 + frame[at + 1]!;
  let sequence = 0;
  let shift = 1;
  do {
    at++;
    sequence += (frame[at]! % 0x80) * shift;
    shift *= 0x80;
  } while (frame[at]! >= 0x80);
  return sequence;
}

function send(message: FromStreamReceiver): void {
  if (process.connected) process.send!(message);
}

process.on('message', (message: ToStreamReceiver) => {
  switch (message.kind) {
    case 'open':
      open(message).then(
        () => send({ kind: 'opened' }),
        (error: Error) => {
          console.error(error.message);
          process.exit(1);
        },
      );
      break;
    case 'expect':
      first = message.first;
      updates = message.updates;
      atMs = new Float64Array(count * updates);
      Object.assign(counts, { distinct: 0, doubled: 0, misordered: 0 });
      send({ kind: 'expecting' });
      break;
    case 'await':
      awaitAll(
        () => counts.distinct >= count * updates,
        message.timeoutMs,
        () => send({ kind: 'awaited' }),
      );
      break;
    case 'report':
      send({ kind: 'arrivals', ...counts, atMs });
  }
});
endWithTheBench(async () => {
  for (const socket of sockets) socket.destroy();
  for (const session of sessions) session.destroy();
});
