// What connections need from sockets. The real ones are those of `node-sockets.ts`; the simulated ones live in test/.

import type { EgressPolicy } from './egress-guard.ts';
import type { NameLookup } from './name-lookup.ts';

/** The `onread` option of `net.connect`: all sockets read into one buffer. */
export interface ReadInto {
  readonly buffer: Buffer;
  readonly callback: (bytes: number, buffer: Uint8Array) => boolean;
}

/** The part of `net.Socket` that connections use. */
export interface ConnectionSocket {
  /** Bytes that the socket still needs from its caller. */
  readonly writableLength: number;
  on(event: 'timeout' | 'connect' | 'secureConnect' | 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  setTimeout(idleMs: number): unknown;
  write(bytes: Uint8Array, written?: () => void): boolean;
  destroy(): unknown;
  ref(): unknown;
  unref(): unknown;
}

export interface SocketTarget {
  /** Scheme, host and port count. */
  readonly url: URL;
  readonly policy: EgressPolicy;
  readonly lookup: NameLookup;
}

export interface Sockets {
  /** Opens a socket, over TLS for `https:`; it is ready at its event `secureConnect`, or at `connect` without TLS. */
  open(to: SocketTarget, onread: ReadInto): ConnectionSocket;
  /** A connection to that origin could not be established. */
  failed(origin: string): void;
}
