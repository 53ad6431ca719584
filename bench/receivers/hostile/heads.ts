// Responses with a bad head: too long, contradictory, in another protocol, or followed by a second response.

import type { Socket } from 'node:net';
import { error, type Misbehaviour, type Outcome, status } from './misbehaviour.ts';
import { drip, HEAD, OK, pour } from './writing.ts';

const TIMEOUT = error(/^timeout$/);
const TOO_LONG = error(/^the response head is too long$/);
const NOT_HTTP = error(/^the response is not HTTP\/1\.1$/);
const NO_SENSE = error(/^the response head has an invalid line$/);
const TWO_LENGTHS = error(/^the response gives two lengths$/);
const UNFINISHED = error(/^the connection was closed before the response was complete$/);

const row = (
  name: string,
  does: string,
  outcome: Outcome,
  act: (socket: Socket) => void,
  { over = 'soon', reused = 'no' }: Partial<Pick<Misbehaviour, 'over' | 'reused'>> = {},
): Misbehaviour => ({ name, does, outcome, over, reused, by: { kind: 'request', act } });

/** Sends the text and keeps the connection open. */
const sends = (name: string, does: string, outcome: Outcome, text: string | Buffer): Misbehaviour =>
  row(name, does, outcome, (socket) => socket.write(text));

const sendsAndKeeps = (name: string, does: string, outcome: Outcome, text: string): Misbehaviour =>
  row(name, does, outcome, (socket) => socket.write(text), { reused: 'yes' });

const late = { over: 'at the deadline' } as const;
/** The first frame of an HTTP/2 server: empty settings. */
const HTTP2_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const MANY_HEADERS = Array.from({ length: 100_000 }, (_, index) => `x-${index}: ${index}\r\n`).join('');

export const HEADS: readonly Misbehaviour[] = [
  row(
    'drip-head',
    'sends the head at a byte a second',
    TIMEOUT,
    (socket) => drip(socket, 'H', 'TTP/1.1 200 OK\r\nx: '),
    late,
  ),
  row('endless-headers', 'sends headers without end', TOO_LONG, (socket) =>
    pour(socket, HEAD, Buffer.from('x-more: and more\r\n'.repeat(500))),
  ),
  row('endless-header', 'sends one header that never ends', TOO_LONG, (socket) =>
    pour(socket, `${HEAD}x: `, Buffer.alloc(16_384, 'x')),
  ),
  row('endless-reason', 'sends a reason phrase that never ends', TOO_LONG, (socket) =>
    pour(socket, 'HTTP/1.1 200 ', Buffer.alloc(16_384, 'x')),
  ),
  sends('huge-header', 'sends a header of a megabyte', TOO_LONG, `${HEAD}x: ${'x'.repeat(1_048_576)}\r\n\r\n`),
  sends('many-headers', 'sends a hundred thousand headers', TOO_LONG, `${HEAD}${MANY_HEADERS}\r\n`),
  row('interim-flood', 'sends "100 Continue" without end', TOO_LONG, (socket) =>
    pour(socket, '', Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(200))),
  ),
  sendsAndKeeps(
    'early-hints',
    'sends three interim responses, then a valid one',
    status(200),
    `${'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'.repeat(3)}${OK}`,
  ),
  sends(
    'switch',
    'switches to another protocol without being asked',
    error(/^the response changes the protocol$/),
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  ),
  sends('two-lengths', 'declares two lengths', TWO_LENGTHS, `${HEAD}content-length: 2\r\ncontent-length: 5\r\n\r\nok`),
  sends(
    'length-and-chunks',
    'declares a length and sends chunks',
    TWO_LENGTHS,
    `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ),
  sends(
    'chunks-and-length',
    'declares chunks, then a length',
    TWO_LENGTHS,
    `${HEAD}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ),
  sends('length-list', 'declares a list of lengths', NO_SENSE, `${HEAD}content-length: 2, 2\r\n\r\nok`),
  sends('length-negative', 'declares a negative length', NO_SENSE, `${HEAD}content-length: -2\r\n\r\nok`),
  sends('length-hex', 'declares a length in hexadecimal', NO_SENSE, `${HEAD}content-length: 0x2\r\n\r\nok`),
  sends(
    'length-huge',
    'declares a length of twenty digits',
    NO_SENSE,
    `${HEAD}content-length: ${'9'.repeat(20)}\r\n\r\nok`,
  ),
  row('http-0.9', 'sends a page without a head', UNFINISHED, (socket) => socket.end('<html>hello</html>')),
  sends(
    'http-1.0-keeps',
    'keeps the connection open the HTTP/1.0 way',
    status(200),
    OK.replace('1.1', '1.0').replace('content', 'connection: keep-alive\r\ncontent'),
  ),
  row('http-2-settings', 'speaks HTTP/2', TIMEOUT, (socket) => socket.write(HTTP2_SETTINGS), late),
  sends('http-2-preface', 'sends the preface of HTTP/2', NOT_HTTP, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  sends('http-3', 'claims HTTP/3.0', NOT_HTTP, OK.replace('1.1', '3.0')),
  sends('status-000', 'responds 000', NOT_HTTP, OK.replace('200', '000')),
  sends('status-99999', 'responds 99999', NOT_HTTP, OK.replace('200', '99999')),
  sends('status-20', 'responds 20', NOT_HTTP, OK.replace('200', '20')),
  sendsAndKeeps('status-999', 'responds 999', status(999), OK.replace('200', '999')),
  sendsAndKeeps(
    'reason-bytes',
    'sends a reason phrase of non-text bytes',
    status(200),
    OK.replace('OK', '\u00ff\u00fe\u0080'),
  ),
  sends('nul-in-header', 'sends a NUL in a header', NO_SENSE, `${HEAD}x: a\0b\r\ncontent-length: 2\r\n\r\nok`),
  sends(
    'lf-in-header',
    'ends a header with LF alone',
    NO_SENSE,
    `${HEAD}x: a\ncontent-length: 9\r\ncontent-length: 2\r\n\r\nok`,
  ),
  row('lf-only', 'ends every line with LF alone', TIMEOUT, (socket) => socket.write(OK.replaceAll('\r', '')), late),
  sends(
    'folded-header',
    'folds a header onto the next line',
    NO_SENSE,
    `${HEAD}x: a\r\n b\r\ncontent-length: 2\r\n\r\nok`,
  ),
  sends('nameless-header', 'sends a header without a name', NO_SENSE, `${HEAD}: x\r\ncontent-length: 2\r\n\r\nok`),
  sends('space-before-colon', 'puts a space before a colon', NO_SENSE, `${HEAD}content-length : 2\r\n\r\nok`),
  sends(
    'answers-twice',
    'sends a second response right after the first',
    status(200),
    `${OK}HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`,
  ),
  row(
    'answers-again',
    'sends each response again a moment later',
    status(200),
    (socket) => {
      socket.write(OK);
      setTimeout(() => socket.write(OK), 2);
    },
    { reused: 'maybe' },
  ),
  {
    name: 'answers-before',
    does: 'responds 413 before the request has arrived, and closes',
    outcome: status(413),
    over: 'soon',
    reused: 'no',
    by: {
      kind: 'connection',
      act: (socket) => socket.end('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n').resume(),
    },
  },
];
