// Serves all misbehaviours from one process on loopback, each on its own port. A name server serves those about names.
// A canary listens where the redirects point; no request may ever reach it.

import { createServer, type Server, type Socket } from 'node:net';
import { BODIES } from './bodies.ts';
import { ENDINGS } from './endings.ts';
import { HEADS } from './heads.ts';
import { HostileReceiver, listening, nameOf } from './hostile-receiver.ts';
import type { Misbehaviour, NameAnswer } from './misbehaviour.ts';
import { NameServer } from './name-server.ts';
import { NAMES } from './names.ts';
import { TLS } from './tls.ts';

export const MISBEHAVIOURS: readonly Misbehaviour[] = [...ENDINGS, ...HEADS, ...BODIES, ...TLS, ...NAMES];

const LOOPBACK = '127.0.0.1';

export class HostileKit {
  readonly receivers: readonly HostileReceiver[];
  readonly #names: NameServer;
  readonly #canary: Server;
  #canaryCalls = 0;

  private constructor(receivers: readonly HostileReceiver[], names: NameServer, canary: Server) {
    this.receivers = receivers;
    this.#names = names;
    this.#canary = canary;
    canary.on('connection', (socket: Socket) => {
      this.#canaryCalls++;
      socket.destroy();
    });
  }

  /** Uses consecutive ports from `port` for canary, name server and receivers; any free ports if it is 0. */
  static async start(rows: readonly Misbehaviour[], port = 0): Promise<HostileKit> {
    const next = (offset: number): number => (port === 0 ? 0 : port + offset);
    const canary = createServer();
    const canaryPort = await listening(canary, next(0), LOOPBACK);
    const answers = new Map<string, NameAnswer>(
      rows.flatMap((row) => (row.by.kind === 'name' ? [[nameOf(row), row.by.answer] as const] : [])),
    );
    const names = new NameServer(answers, LOOPBACK);
    await names.listen(next(1));
    const receivers = rows.map((row) => new HostileReceiver(row, LOOPBACK, canaryPort));
    for (const [index, receiver] of receivers.entries()) await receiver.listen(next(2 + index));
    return new HostileKit(receivers, names, canary);
  }

  /** Host and port of the name server. */
  get nameServer(): string {
    return this.#names.address;
  }

  /** The number of connections to the canary; any is a fault. */
  get canaryCalls(): number {
    return this.#canaryCalls;
  }

  async close(): Promise<void> {
    this.#names.close();
    this.#canary.close();
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
  }
}
