// A TCP proxy that can cut a connection. Then both ends are closed, and the bytes between them are lost.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

const LOOPBACK = '127.0.0.1';

export class CuttingProxy {
  readonly #target: () => URL;
  readonly #server: Server;
  /** The client's ends of the open connections, by their ports. */
  readonly #open = new Map<number, () => void>();

  /** `target`: where connections go that are opened from now on. */
  static async start(target: () => URL): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, LOOPBACK, resolve));
    return proxy;
  }

  private constructor(target: () => URL) {
    this.#target = target;
    this.#server = createServer((near) => this.#pass(near));
  }

  get address(): string {
    return `http://${LOOPBACK}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Cuts the connection that comes from this local port. */
  cut(port: number): void {
    this.#open.get(port)?.();
  }

  async close(): Promise<void> {
    for (const cut of [...this.#open.values()]) cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(near: Socket): void {
    const port = near.remotePort!;
    const { hostname, port: targetPort } = this.#target();
    const far = connect(Number(targetPort), hostname);
    const cut = (): void => {
      this.#open.delete(port);
      near.destroy();
      far.destroy();
    };
    this.#open.set(port, cut);
    for (const end of [near, far]) end.on('error', () => {}).on('close', cut);
    near.pipe(far);
    far.pipe(near);
  }
}
