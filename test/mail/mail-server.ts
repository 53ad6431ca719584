// A real mail server on a free port that keeps the mails it receives, or misbehaves as a test wants.

import { createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly message: string;
  readonly user: unknown;
}

export interface MailServer {
  /** `smtp://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedMail[];
  /** How many connections there have been. */
  connections(): number;
  /** Closes every connection. */
  hangUp(): void;
}

interface Scope {
  after(end: () => unknown): void;
}

export async function withMailServer(scope: Scope, options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const sockets: Socket[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onData(stream, { envelope, user }, done) {
      void text(stream).then((message) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), message, user });
        done();
      });
    },
    ...options,
  });
  server.server.on('connection', (socket) => sockets.push(socket));
  const port = await listening(server.server);
  scope.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    connections: () => sockets.length,
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Listens on a port without being a mail server. Returns its URL. */
export async function withStranger(scope: Scope, met: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    met(socket);
  });
  const port = await listening(server);
  scope.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `smtp://127.0.0.1:${port}`;
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}
