// A bare loop over `node:tls` as a cold sender (engines/cold-sender.ts): opens a connection to each endpoint unless there
// is one, sends one request over it and reads the response, on one thread, with at most CONCURRENCY of these under way. It
// verifies certificates, keeps the newest TLS session of each origin, and makes the engine's two signatures with its
// signer. No retries, no deadlines, no delivery log.

import { randomBytes } from 'node:crypto';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';
import { COLD_BODY_BYTES, replyToBench, type ToColdSender } from '../engines/cold-sender.ts';
import { syntheticArtifact } from '../engines/synthetic-timeline.ts';
import { authorityCertificate } from '../receivers/localhost-certificate.ts';
import { collectedMemory } from '../suite/collected-memory.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';

interface Target {
  readonly url: URL;
  readonly secret: string;
}

/** The fastest of 64 to 512. */
const CONCURRENCY = 512;

const secureContext = createSecureContext({ ca: authorityCertificate() });
const { bytes } = await syntheticArtifact(1, 1_000, COLD_BODY_BYTES);
const body = Buffer.from(openArtifact(bytes).body(0));
const sessions = new Map<string, Buffer>();
/** Open connections, by origin. */
const connections = new Map<string, Connection>();
let targets: readonly Target[] = [];
let resumed = 0;

/** Takes one request at a time. */
class Connection {
  readonly #socket: TLSSocket;
  #response = '';
  #answered = (): void => {};
  #failed: (error: Error) => void;

  /** Resolves when the handshake is complete. */
  static open(url: URL): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection(url, () => resolve(connection), reject);
    });
  }

  private constructor({ origin, port, hostname }: URL, opened: () => void, failed: (error: Error) => void) {
    const session = sessions.get(origin);
    const socket = connect({
      host: '127.0.0.1',
      port: Number(port),
      servername: hostname,
      secureContext,
      ALPNProtocols: ['http/1.1'],
      ...(session !== undefined && { session }),
    });
    this.#socket = socket;
    this.#failed = failed;
    connections.set(origin, this);
    socket.setNoDelay(true);
    socket.on('session', (fresh) => sessions.set(origin, fresh));
    socket.once('secureConnect', () => {
      if (socket.isSessionReused()) resumed++;
      opened();
    });
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', () => {
      connections.delete(origin);
      this.#failed(new Error('the receiver closed a connection before it answered'));
    });
  }

  /** Resolves when the response is complete. */
  send(request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#response += chunk.toString('latin1');
    // The receiver's responses have no body.
    if (!this.#response.endsWith('\r\n\r\n')) return;
    if (this.#response.startsWith('HTTP/1.1 200 ')) this.#answered();
    else this.#failed(new Error(`the receiver answered ${this.#response.split('\r\n', 1)[0]}`));
    this.#response = '';
  }
}

function request({ url, secret }: Target, index: number): Buffer {
  const signer = new Signer(secret, null);
  const id = `evt_${index}`;
  const wallMs = Date.now();
  const timestamp = String(Math.floor(wallMs / 1000));
  const head =
    `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\n` +
    `X-Service-Signature: ${signer.signature(body)}\r\nwebhook-id: ${id}\r\nwebhook-timestamp: ${timestamp}\r\n` +
    `webhook-signature: ${signer.standardSignature(id, timestamp, body, wallMs)}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

async function deliver(): Promise<void> {
  resumed = 0;
  const cpuBefore = process.cpuUsage();
  replyToBench({ kind: 'started', dueAtMs: monotonicMs() });
  let next = 0;
  const sendInTurn = async (): Promise<void> => {
    while (next < targets.length) {
      const index = next++;
      const target = targets[index]!;
      const connection = connections.get(target.url.origin) ?? (await Connection.open(target.url));
      await connection.send(request(target, index));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendInTurn));
  const { user, system } = process.cpuUsage(cpuBefore);
  replyToBench({ kind: 'sent', cpuUs: user + system, resumed, unrecorded: 0 });
}

process.on('message', async (message: ToColdSender) => {
  switch (message.kind) {
    case 'aim':
      targets = message.urls.map((url) => ({
        url: new URL(url),
        secret: `whsec_${randomBytes(32).toString('base64')}`,
      }));
      replyToBench({ kind: 'aimed', secrets: targets.map(({ secret }) => secret) });
      break;
    case 'deliver':
      await deliver();
      break;
    case 'count':
      replyToBench({ kind: 'connections', count: connections.size });
      break;
    case 'measure':
      replyToBench({ kind: 'memory', ...(await collectedMemory()) });
      break;
  }
});
endWithTheBench(async () => {
  for (const connection of connections.values()) connection.destroy();
});
replyToBench({ kind: 'ready' });
