// A way to a real PostgreSQL that can be made worse while a service uses it: slow, silent, or away. Listens on a port of this
// machine, so that the service is given it as DATABASE_URL.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';

/** `slow` delays each answer; `silent` takes everything and passes nothing on; `away` takes no connection and ends those there are. */
export type ProxyState =
  | { readonly kind: 'well' | 'silent' | 'away' }
  | { readonly kind: 'slow'; readonly delayMs: number };

export class DatabaseProxy {
  readonly #target: string;
  readonly #sockets = new Set<Socket>();
  readonly #vanished = new Set<Socket>();
  /** The service's sockets, and the database's for each. */
  readonly #pairs = new Map<Socket, Socket>();
  #server: Server;
  #port = 0;
  #breakingText: string | null = null;
  #state: ProxyState = { kind: 'well' };

  private constructor({ host, port }: ConnectionSettings) {
    this.#target = `${host}/.s.PGSQL.${port}`;
    this.#server = this.#listener();
  }

  static async start(connection: ConnectionSettings): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(connection);
    await proxy.#listen();
    return proxy;
  }

  urlFor(user: string, database: string): string {
    return `postgres://${user}@127.0.0.1:${this.#port}/${database}?sslmode=disable`;
  }

  /** From now on, also for connections that there are. What was held back while it was silent goes on its way. */
  async become(state: ProxyState): Promise<void> {
    const wasAway = this.#state.kind === 'away';
    this.#state = state;
    if (state.kind === 'away') await this.#leave();
    else if (wasAway) await this.#listen();
    for (const socket of this.#sockets) {
      if (state.kind === 'silent') socket.pause();
      else socket.resume();
    }
  }

  /** Nothing comes any more of the connections that there are, nor does any of them end. Others are made as before. */
  vanish(): void {
    for (const socket of this.#sockets) {
      socket.pause();
      this.#vanished.add(socket);
    }
    this.#sockets.clear();
  }

  /** The service's connections break off, and the database hears nothing of it. */
  strand(): void {
    for (const [client, server] of this.#pairs) {
      this.#vanished.add(server);
      this.#sockets.delete(server);
      client.destroy();
    }
  }

  /** Ends the connection on which the service next says this, which the database never hears. */
  breakAt(text: string): void {
    this.#breakingText = text;
  }

  async close(): Promise<void> {
    for (const socket of this.#vanished) socket.destroy();
    if (this.#state.kind !== 'away') await this.#leave();
  }

  #listener(): Server {
    return createServer((client) => {
      const server = connect({ path: this.#target });
      this.#pairs.set(client, server);
      client.on('close', () => this.#pairs.delete(client));
      this.#pass(client, server, 0);
      this.#pass(server, client, null);
    });
  }

  /** `delayMs` null: as the state says. */
  #pass(from: Socket, to: Socket, delayMs: 0 | null): void {
    this.#sockets.add(from);
    if (this.#state.kind === 'silent') from.pause();
    from.on('data', (bytes) => {
      if (this.#breakingText !== null && bytes.includes(this.#breakingText)) {
        this.#breakingText = null;
        from.destroy();
        return;
      }
      const waitMs = delayMs ?? (this.#state.kind === 'slow' ? this.#state.delayMs : 0);
      if (waitMs === 0) to.write(bytes);
      else setTimeout(() => to.write(bytes), waitMs);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      if (!this.#vanished.has(to)) to.destroy();
    });
  }

  #listen(): Promise<void> {
    this.#server = this.#listener();
    return new Promise((resolve) => {
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  #leave(): Promise<void> {
    const left = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    return left;
  }
}
