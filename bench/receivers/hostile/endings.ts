// Receivers that close or reset a connection, or never use it, at every stage of an attempt.

import type { Socket } from 'node:net';
import { error, type Misbehaviour, status } from './misbehaviour.ts';
import { HEAD, OK } from './writing.ts';

const TIMEOUT = error(/^timeout$/);
const CUT = error(/^(ECONNRESET|EPIPE|the connection was closed before the response was complete)$/);
/** A request that was written just before the close arrived has failed: the receiver may have read it. */
const ANSWERED_OR_CUT = { ...status(200), ...CUT };
const UNFINISHED = error(/^the connection was closed before the response was complete$/);
/** Delays after which an idle connection is closed: some while it is unused, some just as the next request goes out. */
const ODD_MOMENTS_MS = [0, 0, 1, 1, 2, 3, 5, 8];

const request = (act: (socket: Socket) => void) => ({ kind: 'request', act }) as const;
const connection = (act: (socket: Socket) => void) => ({ kind: 'connection', act }) as const;
const soon = { over: 'soon', reused: 'no' } as const;
const late = { outcome: TIMEOUT, over: 'at the deadline', reused: 'no' } as const;

export const ENDINGS: readonly Misbehaviour[] = [
  {
    name: 'refuse',
    does: 'has no listener on the port',
    outcome: error(/^ECONNREFUSED$/),
    ...soon,
    by: { kind: 'closed port' },
  },
  {
    name: 'reset-on-connect',
    does: 'resets every connection at once',
    outcome: CUT,
    ...soon,
    by: connection((socket) => socket.resetAndDestroy()),
  },
  {
    name: 'close-on-connect',
    does: 'closes every connection at once',
    outcome: CUT,
    ...soon,
    by: connection((socket) => socket.end()),
  },
  {
    name: 'reset-after-request',
    does: 'reads the request and resets the connection',
    outcome: CUT,
    ...soon,
    by: request((socket) => socket.resetAndDestroy()),
  },
  {
    name: 'close-after-request',
    does: 'reads the request and closes the connection',
    outcome: UNFINISHED,
    ...soon,
    by: request((socket) => socket.destroy()),
  },
  {
    name: 'reset-in-answer',
    does: 'resets the connection in the middle of the body',
    outcome: CUT,
    ...soon,
    by: request((socket) => socket.write(`${HEAD}content-length: 9\r\n\r\nok`, () => socket.resetAndDestroy())),
  },
  {
    name: 'close-in-head',
    does: 'closes the connection in the middle of a header',
    outcome: UNFINISHED,
    ...soon,
    by: request((socket) => socket.end(`${HEAD}content-le`)),
  },
  {
    name: 'close-in-body',
    does: 'declares a hundred bytes, sends two and closes',
    outcome: UNFINISHED,
    ...soon,
    by: request((socket) => socket.end(`${HEAD}content-length: 100\r\n\r\nok`)),
  },
  {
    name: 'close-in-chunk',
    does: 'closes the connection in the middle of a chunk',
    outcome: UNFINISHED,
    ...soon,
    by: request((socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nab`)),
  },
  {
    name: 'half-close',
    does: 'closes its side at once and keeps reading',
    outcome: UNFINISHED,
    ...soon,
    by: connection((socket) => socket.end().resume()),
  },
  {
    name: 'half-close-after-answer',
    does: 'responds, closes its side and keeps reading',
    outcome: ANSWERED_OR_CUT,
    over: 'soon',
    reused: 'maybe',
    by: request((socket) => socket.end(OK)),
  },
  {
    name: 'slow-close',
    does: 'announces that it closes the connection, and never does',
    outcome: status(200),
    ...soon,
    by: request((socket) => socket.write(OK.replace('content', 'connection: close\r\ncontent'))),
  },
  {
    name: 'odd-moments',
    does: 'responds, and closes the idle connection after a different delay each time',
    outcome: ANSWERED_OR_CUT,
    over: 'soon',
    reused: 'maybe',
    by: {
      kind: 'request',
      act: (socket, { number }) => {
        socket.write(OK);
        const close = (): unknown => (number % 2 === 0 ? socket.end() : socket.resetAndDestroy());
        const moment = ODD_MOMENTS_MS[(number + (socket.remotePort ?? 0)) % ODD_MOMENTS_MS.length]!;
        if (moment === 0) setImmediate(close);
        else setTimeout(close, moment);
      },
    },
  },
  {
    name: 'never-accept',
    does: 'listens but accepts no connection; its queue is full',
    ...late,
    by: { kind: 'full queue' },
  },
  {
    name: 'silence',
    does: 'reads the request and never responds',
    ...late,
    by: request(() => {}),
  },
  {
    name: 'never-read',
    does: 'accepts the connection and never reads the request',
    ...late,
    by: connection((socket) => socket.pause()),
  },
];
