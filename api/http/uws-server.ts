// Listens. One handler takes every request; which operation it means is the dispatcher's business.

import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { CLOSE_DEADLINE_MS, CONNECTIONS_FILES_SHARE_MAX, CONNECTIONS_MAX } from '#engine/base/limits.ts';
import type { Dispatcher } from './dispatcher.ts';
import { UwsExchange } from './uws-exchange.ts';

export interface Listening {
  readonly host: string;
  /** The port in use, also when any free one was asked for. */
  readonly port: number;
  /** Takes no more connections, waits a bounded time for requests in progress, then cuts what is left. */
  close(): Promise<void>;
}

/** The library's LIBUS_LISTEN_EXCLUSIVE_PORT, which its type declarations name otherwise than its code. */
const EXCLUSIVE_PORT = 1;

/** What the library takes and its type declarations leave out: a host together with options. */
type ListenWith = (
  host: string,
  port: number,
  options: typeof EXCLUSIVE_PORT,
  callback: (socket: us_listen_socket | false) => void,
) => void;

/** `port` 0 takes any free port. Rejects with a message that names HOST and PORT when it cannot listen. */
export function listen(dispatcher: Dispatcher, host: string, port: number): Promise<Listening> {
  const connectionsMax = Math.min(CONNECTIONS_MAX, Math.floor(openFilesMax() * CONNECTIONS_FILES_SHARE_MAX));
  let connections = 0;
  const app = App()
    // Whoever takes all files of the process takes them from deliveries and the database.
    // biome-ignore lint/suspicious/useIterableCallbackReturn: this is no list
    .filter((response, change) => {
      // Told once for each connection that comes (1) and goes (-1), also for one that is closed here.
      connections += change as number;
      if ((change as number) > 0 && connections > connectionsMax) response.close();
    })
    .any('/*', (response, request) => {
      const exchange = new UwsExchange(response, request);
      void dispatcher.serve(exchange);
      exchange.requestGone();
    });
  return new Promise((resolve, reject) => {
    const listenWith = app.listen.bind(app) as unknown as ListenWith;
    // Unless told so the library shares its port with other processes that do, and each gets some of the requests.
    listenWith(host, port, EXCLUSIVE_PORT, (socket) => {
      if (socket === false) {
        const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
        reject(
          new Error(`cannot listen on ${place}: PORT is in use or reserved, or HOST is not an address of this machine`),
        );
        return;
      }
      resolve(listening(app, socket, host, dispatcher));
    });
  });
}

/** How many files, sockets among them, this process may have open. */
function openFilesMax(): number {
  // Without asking name servers for those at the other end of connections.
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
