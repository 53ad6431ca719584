// Answers whose head is wrong: too long, contradictory, of another protocol, or with another answer behind it.

import type { Socket } from 'node:net';
import { error, type Misbehaviour, type Outcome, status } from './misbehaviour.ts';
import { drip, HEAD, OK, pour } from './writing.ts';

const TIMEOUT = error(/^timeout$/);
const TOO_LONG = error(/^the answer's head is too long$/);
const NOT_HTTP = error(/^the answer is not HTTP\/1\.1$/);
const NO_SENSE = error(/^a line of the answer's head makes no sense$/);
const TWO_LENGTHS = error(/^the answer says two lengths$/);
const UNFINISHED = error(/^the connection was closed before the answer was whole$/);

const row = (
  name: string,
  does: string,
  outcome: Outcome,
  act: (socket: Socket) => void,
  { over = 'soon', reused = 'no' }: Partial<Pick<Misbehaviour, 'over' | 'reused'>> = {},
): Misbehaviour => ({ name, does, outcome, over, reused, by: { kind: 'request', act } });

/** Sends this and waits. */
const sends = (name: string, does: string, outcome: Outcome, text: string | Buffer): Misbehaviour =>
  row(name, does, outcome, (socket) => socket.write(text));

const sendsAndKeeps = (name: string, does: string, outcome: Outcome, text: string): Misbehaviour =>
  row(name, does, outcome, (socket) => socket.write(text), { reused: 'yes' });

const late = { over: 'at the deadline' } as const;
/** The first frame of a server that speaks HTTP/2: settings, of which there are none. */
const HTTP2_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const MANY_HEADERS = Array.from({ length: 100_000 }, (_, index) => `x-${index}: ${index}\r\n`).join('');

export const HEADS: readonly Misbehaviour[] = [
  row(
    'drip-head',
    'sends the head, a byte a second',
    TIMEOUT,
    (socket) => drip(socket, 'H', 'TTP/1.1 200 OK\r\nx: '),
    late,
  ),
  row('endless-headers', 'sends headers for ever', TOO_LONG, (socket) =>
    pour(socket, HEAD, Buffer.from('x-more: and more\r\n'.repeat(500))),
  ),
  row('endless-header', 'sends one header that never ends', TOO_LONG, (socket) =>
    pour(socket, `${HEAD}x: `, Buffer.alloc(16_384, 'x')),
  ),
  row('endless-reason', 'sends a reason that never ends', TOO_LONG, (socket) =>
    pour(socket, 'HTTP/1.1 200 ', Buffer.alloc(16_384, 'x')),
  ),
  sends('huge-header', 'sends a header of a megabyte', TOO_LONG, `${HEAD}x: ${'x'.repeat(1_048_576)}\r\n\r\n`),
  sends('many-headers', 'sends a hundred thousand headers', TOO_LONG, `${HEAD}${MANY_HEADERS}\r\n`),
  row('interim-flood', 'sends "100 Continue" for ever', TOO_LONG, (socket) =>
    pour(socket, '', Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(200))),
  ),
  sendsAndKeeps(
    'early-hints',
    'sends three interim answers and then a sound one',
    status(200),
    `${'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'.repeat(3)}${OK}`,
  ),
  sends(
    'switch',
    'changes to another protocol, which nobody asked for',
    error(/^the answer changes the protocol$/),
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  ),
  sends('two-lengths', 'says two lengths', TWO_LENGTHS, `${HEAD}content-length: 2\r\ncontent-length: 5\r\n\r\nok`),
  sends(
    'length-and-chunks',
    'says a length and sends chunks',
    TWO_LENGTHS,
    `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ),
  sends(
    'chunks-and-length',
    'says chunks, and a length after it',
    TWO_LENGTHS,
    `${HEAD}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ),
  sends('length-list', 'says a list of lengths', NO_SENSE, `${HEAD}content-length: 2, 2\r\n\r\nok`),
  sends('length-negative', 'says a length below zero', NO_SENSE, `${HEAD}content-length: -2\r\n\r\nok`),
  sends('length-hex', 'says a length in hexadecimal', NO_SENSE, `${HEAD}content-length: 0x2\r\n\r\nok`),
  sends(
    'length-huge',
    'says a length of twenty digits',
    NO_SENSE,
    `${HEAD}content-length: ${'9'.repeat(20)}\r\n\r\nok`,
  ),
  row('http-0.9', 'sends a page without any head', UNFINISHED, (socket) => socket.end('<html>hello</html>')),
  sends(
    'http-1.0-keeps',
    'keeps a connection as HTTP/1.0 did',
    status(200),
    OK.replace('1.1', '1.0').replace('content', 'connection: keep-alive\r\ncontent'),
  ),
  row('http-2-settings', 'speaks HTTP/2', TIMEOUT, (socket) => socket.write(HTTP2_SETTINGS), late),
  sends('http-2-preface', 'sends the preface of HTTP/2', NOT_HTTP, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  sends('http-3', 'says HTTP/3.0', NOT_HTTP, OK.replace('1.1', '3.0')),
  sends('status-000', 'answers 000', NOT_HTTP, OK.replace('200', '000')),
  sends('status-99999', 'answers 99999', NOT_HTTP, OK.replace('200', '99999')),
  sends('status-20', 'answers 20', NOT_HTTP, OK.replace('200', '20')),
  sendsAndKeeps('status-999', 'answers 999', status(999), OK.replace('200', '999')),
  sendsAndKeeps(
    'reason-bytes',
    'gives a reason of bytes that are no text',
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
    'goes on with a header in the next line',
    NO_SENSE,
    `${HEAD}x: a\r\n b\r\ncontent-length: 2\r\n\r\nok`,
  ),
  sends('nameless-header', 'sends a header without a name', NO_SENSE, `${HEAD}: x\r\ncontent-length: 2\r\n\r\nok`),
  sends('space-before-colon', 'puts a space before a colon', NO_SENSE, `${HEAD}content-length : 2\r\n\r\nok`),
  sends(
    'answers-twice',
    'sends a second answer right behind the first',
    status(200),
    `${OK}HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`,
  ),
  row(
    'answers-again',
    'sends each answer again a moment later',
    status(200),
    (socket) => {
      socket.write(OK);
      setTimeout(() => socket.write(OK), 2);
    },
    { reused: 'maybe' },
  ),
  {
    name: 'answers-before',
    does: 'refuses with 413 before the request has come, and closes',
    outcome: status(413),
    over: 'soon',
    reused: 'no',
    by: {
      kind: 'connection',
      act: (socket) => socket.end('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n').resume(),
    },
  },
];
