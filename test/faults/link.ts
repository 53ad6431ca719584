// A link over TCP that can be cut as a network is: nothing passes and nobody is told. What was under way comes when it heals.

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Link {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  static async to(host: string, port: number): Promise<Link> {
    const link = new Link(host, port);
    await new Promise<void>((resolve) => link.#server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  private constructor(host: string, port: number) {
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ host, port, allowHalfOpen: true });
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        if (this.#isCut) from.pause();
        from.on('data', (bytes) => void to.write(bytes));
        from.on('end', () => to.end());
        from.on('error', () => to.destroy());
        from.on('close', () => this.#sockets.delete(from));
      }
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
