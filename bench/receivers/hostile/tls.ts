// Receivers with bad TLS: untrustworthy certificates, stalled handshakes, other bytes in place of TLS.

import { error, type Misbehaviour, type Outcome } from './misbehaviour.ts';

type Act = Extract<Misbehaviour['by'], { kind: 'tls' }>['act'];

const CUT = error(/^(ECONNRESET|EPIPE|the connection was closed at once)$/);
const soon = { over: 'soon', reused: 'no' } as const;
const late = { outcome: error(/^timeout$/), over: 'at the deadline', reused: 'no' } as const;

const certified = (name: string, does: string, certificate: string, outcome: Outcome): Misbehaviour => ({
  name,
  does,
  outcome,
  ...soon,
  by: { kind: 'tls', certificate, act: () => {} },
});

/** Acts after a valid handshake. */
const shaken = (act: Act) => ({ kind: 'tls', certificate: 'localhost', act }) as const;

export const TLS: readonly Misbehaviour[] = [
  certified(
    'tls-wrong-name',
    'has a certificate for another name',
    'elsewhere',
    error(/^ERR_TLS_CERT_ALTNAME_INVALID$/),
  ),
  certified('tls-expired', 'has an expired certificate', 'expired', error(/^CERT_HAS_EXPIRED$/)),
  certified('tls-self-signed', 'has a self-signed certificate', 'self-signed', error(/^DEPTH_ZERO_SELF_SIGNED_CERT$/)),
  certified(
    'tls-unknown',
    'has a certificate from an unknown authority',
    'unknown',
    error(/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/),
  ),
  {
    name: 'tls-old',
    does: 'speaks TLS 1.1 at most',
    outcome: error(/^(EPROTO|ERR_SSL_\w+|ECONNRESET)$/),
    ...soon,
    by: { kind: 'tls', certificate: 'localhost', maxVersion: 'TLSv1.1', act: () => {} },
  },
  {
    name: 'tls-stall',
    does: 'never responds to the first handshake message',
    ...late,
    by: { kind: 'no tls', act: (socket) => socket.resume() },
  },
  {
    name: 'tls-drip',
    does: 'starts a handshake record and never finishes it',
    ...late,
    // A handshake record of 16 KiB, of which only four bytes are sent.
    by: {
      kind: 'no tls',
      act: (socket) => socket.resume().write(Buffer.from([0x16, 3, 3, 0x40, 0, 2, 0, 0x3f, 0xfc])),
    },
  },
  {
    name: 'tls-close',
    does: 'closes the connection after the first handshake message',
    outcome: CUT,
    ...soon,
    by: { kind: 'no tls', act: (socket) => socket.once('data', () => socket.end()) },
  },
  {
    name: 'tls-reset',
    does: 'resets the connection after the first handshake message',
    outcome: CUT,
    ...soon,
    by: { kind: 'no tls', act: (socket) => socket.once('data', () => socket.resetAndDestroy()) },
  },
  {
    name: 'tls-plaintext',
    does: 'responds in plain text',
    outcome: error(/^(EPROTO|ERR_SSL_\w+)$/),
    ...soon,
    by: {
      kind: 'no tls',
      act: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')),
    },
  },
  {
    name: 'tls-silence',
    does: 'never responds after a valid handshake',
    ...late,
    by: shaken((socket) => socket.resume()),
  },
  {
    name: 'tls-garbage',
    does: 'sends bytes that are not TLS after a valid handshake',
    outcome: error(/^(EPROTO|ERR_SSL_\w+|ECONNRESET)$/),
    ...soon,
    by: shaken((socket, below) =>
      socket.once('data', () => below.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    ),
  },
  {
    name: 'tls-cut',
    does: 'resets the connection in the middle of an encrypted response',
    outcome: error(/^(ECONNRESET|the connection was closed before the response was complete)$/),
    ...soon,
    by: shaken((socket, below) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok', () => below.resetAndDestroy()),
      ),
    ),
  },
];
