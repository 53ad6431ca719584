// The sockets of the machine: TCP, and TLS with sessions that are resumed. Certificates and names are verified.

import { connect as connectTcp, isIP, type TcpNetConnectOpts } from 'node:net';
import {
  type ConnectionOptions,
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { Clock } from '#engine/base/clock.ts';
import { ADDRESS_TRY_MS } from '#engine/base/limits.ts';
import { guardedLookup } from './egress-guard.ts';
import type { ConnectionSocket, ReadInto, Sockets, SocketTarget } from './sockets.ts';
import { TlsSessions } from './tls-sessions.ts';
import type { Traffic } from './traffic.ts';

export class NodeSockets implements Sockets {
  readonly #traffic: Traffic;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #sessions = new TlsSessions();
  /** Made on first use and shared: each costs 0.2 ms and 27 KiB, the first one in a thread 20 ms. */
  #secureContext: SecureContext | null = null;

  constructor(traffic: Traffic, clock: Pick<Clock, 'wallMs'>) {
    this.#traffic = traffic;
    this.#clock = clock;
  }

  open({ url, policy, lookup }: SocketTarget, onread: ReadInto): ConnectionSocket {
    const { hostname, origin, protocol, port: givenPort } = url;
    const isSecure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const to: TcpNetConnectOpts = {
      host,
      port: givenPort === '' ? (isSecure ? 443 : 80) : Number(givenPort),
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TRY_MS,
      // The types of our lookup and of node:net disagree on overloads only.
      lookup: guardedLookup(policy, lookup) as never,
      onread,
    };
    return isSecure ? this.#openTls(to, host, origin) : connectTcp(to);
  }

  /** The server may have forgotten the session, and may say so by closing the connection. */
  failed(origin: string): void {
    this.#sessions.forget(origin);
  }

  #openTls(to: TcpNetConnectOpts, host: string, origin: string): ConnectionSocket {
    this.#secureContext ??= createSecureContext();
    const options: ConnectionOptions & TcpNetConnectOpts = {
      ...to,
      secureContext: this.#secureContext,
      // For names only, without a dot at the end (RFC 6066): some servers end the handshake for it. An address is still
      // checked against the certificate.
      servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
      ALPNProtocols: ['http/1.1'],
    };
    const offered = this.#sessions.of(origin, this.#clock.wallMs());
    if (offered !== undefined) options.session = offered.bytes;
    const socket = connectTls(options);
    // `connectTls` ignores the option `noDelay`.
    socket.setNoDelay(true);
    let untilMs: number | null = null;
    socket.on('session', (bytes) => {
      untilMs ??= socket.isSessionReused() ? offered!.untilMs : expiryOf(socket);
      if (untilMs !== null) this.#sessions.keep(origin, { bytes, untilMs });
    });
    socket.once('secureConnect', () => {
      if (socket.isSessionReused()) this.#traffic.resumed++;
    });
    return socket;
  }
}

/** When the server's certificate expires, Unix epoch milliseconds; null once the socket is closed. */
function expiryOf(socket: TLSSocket): number | null {
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? null : Date.parse(certificate.validTo);
}
