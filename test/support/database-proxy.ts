// A proxy to a real PostgreSQL that can become slow, silent or unreachable while a service uses it. It listens on a
// local port, so that its address can be the service's DATABASE_URL.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';

/**
 * `slow` delays the server's data; `silent` passes nothing on; `away` refuses connections and ends the present ones.
 */
export type ProxyState =
  | { readonly kind: 'well' | 'silent' | 'away' }
  | { readonly kind: 'slow'; readonly delayMs: number };

export class DatabaseProxy {
  readonly #target: string;
  readonly #sockets = new Set<Socket>();
  readonly #vanished = new Set<Socket>();
  /** The service's sockets, each with its socket to the database. */
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

  /** Changes the state, also for present connections. Data held back in the silent state is then passed on. */
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

  /** Makes all present connections silent for good, without ending them. New connections work as before. */
  vanish(): void {
    for (const socket of this.#sockets) {
      socket.pause();
      this.#vanished.add(socket);
    }
    this.#sockets.clear();
  }

  /** Breaks the service's connections without telling the database. */
  strand(): void {
    for (const [client, server] of this.#pairs) {
      this.#vanished.add(server);
      this.#sockets.delete(server);
      client.destroy();
    }
  }

  /** Breaks the connection on which the service next sends this text, before the text reaches the database. */
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

  /** `delayMs` null: the delay of the present state. */
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
