// Responses with a bad body: endless, shorter or longer than declared, in broken chunks, compressed; and redirects.

import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { error, type Misbehaviour, type Outcome, status } from './misbehaviour.ts';
import { drip, HEAD, pour } from './writing.ts';

const TIMEOUT = error(/^timeout$/);
const NO_SIZE = error(/^a chunk has no size$/);
const SIZE_TOO_LONG = error(/^a chunk's size line is too long$/);
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;

const row = (
  name: string,
  does: string,
  outcome: Outcome,
  act: (socket: Socket) => void,
  over: Misbehaviour['over'] = 'soon',
): Misbehaviour => ({ name, does, outcome, over, reused: 'no', by: { kind: 'request', act } });

const sends = (name: string, does: string, outcome: Outcome, text: string): Misbehaviour =>
  row(name, does, outcome, (socket) => socket.write(text));

const late = (name: string, does: string, act: (socket: Socket) => void): Misbehaviour =>
  row(name, does, TIMEOUT, act, 'at the deadline');

const redirect = (statusCode: number, to: (canaryPort: number) => string): Misbehaviour => ({
  name: `redirect-${statusCode}`,
  does: `responds ${statusCode} with a redirect to an internal address`,
  outcome: status(statusCode),
  over: 'soon',
  reused: 'yes',
  by: {
    kind: 'request',
    act: (socket, { canaryPort }) =>
      socket.write(`HTTP/1.1 ${statusCode} Go\r\nlocation: ${to(canaryPort)}\r\ncontent-length: 0\r\n\r\n`),
  },
});

const BOMB_MEMBER_BYTES = 16 * 1_048_576;
const BOMB_MEMBERS = 64;
let packed: Buffer | null = null;

/**
 * A gigabyte of zeros in one megabyte. A gzip stream may have many members, so the gigabyte itself is never in memory.
 */
function bomb(): Buffer {
  packed ??= Buffer.concat(Array<Buffer>(BOMB_MEMBERS).fill(gzipSync(Buffer.alloc(BOMB_MEMBER_BYTES), { level: 9 })));
  return packed;
}

export const BODIES: readonly Misbehaviour[] = [
  late('drip-body', 'sends the body at a byte a second', (socket) =>
    drip(socket, `${HEAD}content-length: 1000\r\n\r\n`, 'x'),
  ),
  late('drip-chunks', 'sends chunks at a byte a second', (socket) => drip(socket, CHUNKED, '1\r\nx\r\n')),
  late('drip-until-close', 'sends a body without a length at a byte a second', (socket) =>
    drip(socket, `${HEAD}\r\n`, 'x'),
  ),
  late('length-too-long', 'declares a hundred bytes, sends two and waits', (socket) =>
    socket.write(`${HEAD}content-length: 100\r\n\r\nok`),
  ),
  sends('length-too-short', 'sends more than it declares', status(200), `${HEAD}content-length: 2\r\n\r\nok and more`),
  row('endless-body', 'sends a body that never ends', status(200), (socket) =>
    pour(socket, `${HEAD}\r\n`, Buffer.alloc(65_536, 'x')),
  ),
  row('endless-length', 'declares a terabyte and sends it', status(200), (socket) =>
    pour(socket, `${HEAD}content-length: ${2 ** 40}\r\n\r\n`, Buffer.alloc(65_536, 'x')),
  ),
  row('endless-chunks', 'sends chunks without end', status(200), (socket) =>
    pour(socket, CHUNKED, Buffer.from('5\r\nhello\r\n'.repeat(2_000))),
  ),
  row('endless-extensions', 'sends one-byte chunks with long extensions, without end', status(200), (socket) =>
    pour(socket, CHUNKED, Buffer.from(`1;${'x'.repeat(200)}\r\ny\r\n`.repeat(100))),
  ),
  row('endless-extension', 'sends one chunk extension that never ends', SIZE_TOO_LONG, (socket) =>
    pour(socket, `${CHUNKED}1;`, Buffer.alloc(16_384, 'x')),
  ),
  row('endless-trailers', 'sends trailers without end', error(/^the response head is too long$/), (socket) =>
    pour(socket, `${CHUNKED}0\r\n`, Buffer.from('x-more: and more\r\n'.repeat(500))),
  ),
  sends('chunk-without-size', 'sends a chunk whose size is not a number', NO_SIZE, `${CHUNKED}zz\r\nok\r\n`),
  sends('chunk-size-negative', 'sends a chunk with a negative size', NO_SIZE, `${CHUNKED}-2\r\nok\r\n`),
  sends('chunk-size-huge', 'sends a chunk size of sixteen digits', NO_SIZE, `${CHUNKED}${'f'.repeat(16)}\r\nok\r\n`),
  sends('chunk-lf', 'ends a chunk size with LF alone', NO_SIZE, `${CHUNKED}2\nok\r\n0\r\n\r\n`),
  sends(
    'chunk-too-long',
    'sends a chunk longer than its size',
    error(/^a chunk is longer than it says$/),
    `${CHUNKED}2\r\nokay\r\n0\r\n\r\n`,
  ),
  sends(
    'trailer-nul',
    'sends a NUL in a trailer',
    error(/^the response has an invalid line after its chunks$/),
    `${CHUNKED}2\r\nok\r\n0\r\nx: a\0b\r\n\r\n`,
  ),
  sends('204-with-body', 'responds 204 with a body', status(204), 'HTTP/1.1 204 No\r\ncontent-length: 5\r\n\r\nhello'),
  sends(
    '304-with-body',
    'responds 304 with chunks',
    status(304),
    `${CHUNKED.replace('200', '304')}5\r\nhello\r\n0\r\n\r\n`,
  ),
  row('gzip-bomb', 'sends a gigabyte compressed into one megabyte', status(200), (socket) => {
    socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${bomb().length}\r\n\r\n`);
    socket.write(bomb());
  }),
  row('gzip-coded', 'sends a gigabyte with gzip as a transfer coding', status(200), (socket) => {
    socket.write(`${HEAD}transfer-encoding: gzip\r\n\r\n`);
    socket.end(bomb());
  }),
  redirect(301, () => 'http://169.254.169.254/latest/meta-data/'),
  redirect(302, (port) => `http://127.0.0.1:${port}/`),
  redirect(303, (port) => `https://localhost:${port}/`),
  redirect(307, (port) => `http://127.0.0.1:${port}/`),
  redirect(308, (port) => `//127.0.0.1:${port}/`),
];
