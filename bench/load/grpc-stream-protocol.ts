// gRPC over node:http2, a connection for each call. A message counts when it is complete.

import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ServiceDefinition } from '@grpc/proto-loader';
import { loadSync } from '@grpc/proto-loader';
import { STATUS } from '#api/grpc/grpc-status.ts';
import type { ConnectionEnd, StreamProtocol } from './stream-protocol.ts';

const PROTO = fileURLToPath(new URL('../../schemas/grpc/slipstream/v1/updates.proto', import.meta.url));
const { Subscribe } = loadSync(PROTO, { keepCase: true, longs: Number })['slipstream.v1.Updates'] as ServiceDefinition;
const HEAD_BYTES = 5;

interface Update {
  readonly json: Buffer;
  readonly cursor: string;
}

export const grpcStreams: StreamProtocol = (address, token, { session, feed, after, speed }, place, on) => {
  const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
  const broken = (): void => resolve({ kind: 'broken' });
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const connection = connectHttp2(address, { createConnection: () => socket });
  connection.on('error', broken).on('close', broken);
  const call = connection.request({
    ':method': 'POST',
    ':path': Subscribe!.path,
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${token}`,
  });
  const request = Subscribe!.requestSerialize({
    session,
    feeds: [feed],
    cursor: place,
    ...(after !== null && { resume_after: after }),
    ...(speed !== null && { speed }),
  });
  call.end(framed(request));

  const end = (headers: Readonly<Record<string, unknown>>): void => {
    const status = headers['grpc-status'];
    if (status === undefined) return;
    const text = `status ${status} ${headers['slipstream-code']}`;
    resolve(
      Number(status) === STATUS.ok ? { kind: 'completed' } : (comesBack(headers) ?? { kind: 'wrong', what: text }),
    );
  };
  let rest: Buffer = Buffer.alloc(0);
  call.on('response', (headers) => {
    if (headers['slipstream-cursor'] !== undefined) on.placed(String(headers['slipstream-cursor']));
    end(headers);
  });
  call.on('trailers', end);
  call.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUInt32BE(1)) {
      const next = HEAD_BYTES + rest.readUInt32BE(1);
      const { json, cursor } = Subscribe!.responseDeserialize(rest.subarray(HEAD_BYTES, next)) as unknown as Update;
      on.update({ place: cursor, body: json.toString() });
      rest = rest.subarray(next);
    }
  });
  call.on('error', broken).on('close', broken);
  return {
    ended: promise,
    port: () => socket.localPort ?? 0,
    cut: () => {
      call.close(constants.NGHTTP2_CANCEL);
      connection.destroy();
      socket.destroy();
      broken();
    },
  };
};

/** A service that has just started or is stopping, or that has not noticed yet that the last connection is gone. */
function comesBack(headers: Readonly<Record<string, unknown>>): ConnectionEnd | null {
  const status = Number(headers['grpc-status']);
  const isFull = status === STATUS.resourceExhausted && headers['slipstream-code'] === 'stream_limit_reached';
  return status === STATUS.unavailable || isFull ? { kind: 'broken' } : null;
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
