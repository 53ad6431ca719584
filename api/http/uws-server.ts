// The HTTP server. One handler takes every request; the dispatcher finds the operation.

import {
  App,
  type HttpResponse,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js';
import { systemClock } from '#engine/base/clock.ts';
import {
  ADDRESS_CONNECTIONS_MAX,
  CLOSE_DEADLINE_MS,
  CONNECTIONS_FILES_SHARE_MAX,
  CONNECTIONS_MAX,
} from '#engine/base/limits.ts';
import { AddressConnections } from './address-connections.ts';
import type { Dispatcher } from './dispatcher.ts';
import { UwsExchange } from './uws-exchange.ts';

export interface Listening {
  readonly host: string;
  /** The port in use, even if the caller asked for any free one. */
  readonly port: number;
  /** Stops accepting connections, waits a bounded time for requests in progress, then cuts the rest. */
  close(): Promise<void>;
}

/** The library's LIBUS_LISTEN_EXCLUSIVE_PORT; its type declarations have another name than its code. */
const EXCLUSIVE_PORT = 1;

/** A signature that the library's type declarations omit: a host together with options. */
type ListenWith = (
  host: string,
  port: number,
  options: typeof EXCLUSIVE_PORT,
  callback: (socket: us_listen_socket | false) => void,
) => void;

/** Starts to listen; `port` 0 takes any free port. Rejects with a message that names HOST and PORT if it cannot. */
export async function listen(dispatcher: Dispatcher, host: string, port: number): Promise<Listening> {
  const connectionsMax = Math.min(CONNECTIONS_MAX, Math.floor(openFilesMax() * CONNECTIONS_FILES_SHARE_MAX));
  const ofAddresses = new AddressConnections(ADDRESS_CONNECTIONS_MAX, systemClock);
  const { gauges, refusedConnections } = dispatcher.meter;
  const app = App()
    // Clients must not use up the file descriptors that deliveries and the database need.
    // biome-ignore lint/suspicious/useIterableCallbackReturn: this is not a list
    .filter((response, change) => {
      // Called once when a connection opens (1) and once when it closes (-1), including those closed here.
      gauges.add('connections', change as number);
      if ((change as number) < 0) return;
      const open = gauges.value('connections');
      if (open > connectionsMax) {
        refusedConnections.add('all');
        response.close();
        return;
      }
      const group = dispatcher.connectionGroupOf(peerOf(response));
      if (group === null) return;
      const count = ofAddresses.open(group, open - 1);
      if (count === null) {
        refusedConnections.add('address');
        response.close();
        return;
      }
      // Until its first request, which has a callback of its own.
      response.onAborted(() => count.wokeOrClosed());
    })
    .any('/*', (response, request) => {
      const peer = peerOf(response);
      const group = dispatcher.connectionGroupOf(peer);
      dispatcher.serve(new UwsExchange(response, request, peer, group === null ? null : ofAddresses.of(group)));
    });
  return listening(app, await opened(app, host, port), host, dispatcher);
}

/** Rejects as `listen` would if it could not listen there now. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const app = App();
  us_listen_socket_close(await opened(app, host, port));
  app.close();
}

function opened(app: ReturnType<typeof App>, host: string, port: number): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    const listenWith = app.listen.bind(app) as unknown as ListenWith;
    // By default the library lets other processes share its port, and each would get some of the requests.
    listenWith(host, port, EXCLUSIVE_PORT, (socket) => {
      if (socket !== false) {
        resolve(socket);
        return;
      }
      const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
      reject(
        new Error(
          `cannot listen on ${place}: PORT is in use or reserved, or HOST is not an address of this machine. Choose another PORT, such as 8081, or correct HOST.`,
        ),
      );
    });
  });
}

function peerOf(response: HttpResponse): string {
  return Buffer.from(response.getRemoteAddressAsText()).toString();
}

/** How many files and sockets this process may have open. */
function openFilesMax(): number {
  // Otherwise the report looks up the host name of every peer.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files: { readonly soft: unknown } };
  };
  const soft = report.userLimits?.open_files.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

function listening(
  app: ReturnType<typeof App>,
  socket: us_listen_socket,
  host: string,
  dispatcher: Dispatcher,
): Listening {
  let closing: Promise<void> | null = null;
  return {
    host,
    port: us_socket_local_port(socket as Parameters<typeof us_socket_local_port>[0]),
    close() {
      closing ??= closeGracefully(app, socket, dispatcher);
      return closing;
    },
  };
}

async function closeGracefully(
  app: ReturnType<typeof App>,
  socket: us_listen_socket,
  dispatcher: Dispatcher,
): Promise<void> {
  us_listen_socket_close(socket);
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_DEADLINE_MS);
  });
  await Promise.race([dispatcher.idle(), patience]);
  clearTimeout(timer);
  app.close();
}
