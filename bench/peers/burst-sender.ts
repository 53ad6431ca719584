// A bare sender: one update to many endpoints at once, over plain sockets that it keeps open. It shows what such a burst costs
// others on the same cores, no matter who sends it. It signs twice, as the engine does, with the engine's signer. No delivery log,
// no turns.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import type { FromBurstSender, ToBurstSender } from './burst-sender-process.ts';

interface Endpoint {
  readonly socket: Socket;
  readonly signer: Signer;
  readonly path: string;
}

/** As much as a steady update of a live session. */
const BODY_BYTES = 360;
/** Connections that are opened at the same time. */
const OPENING = 64;

const endpoints: Endpoint[] = [];
let unanswered = 0;

const reply = (message: FromBurstSender): void => void process.send!(message);

async function open(origin: string, secrets: readonly string[]): Promise<void> {
  close();
  const { hostname, port } = new URL(origin);
  for (let from = 0; from < secrets.length; from += OPENING)
    await Promise.all(
      secrets.slice(from, from + OPENING).map(async (secret, index) => {
        const socket = connect({ host: hostname, port: Number(port), noDelay: true });
        socket.on('data', answered);
        await once(socket, 'connect');
        endpoints.push({ socket, signer: new Signer(secret, null), path: `/${from + index}` });
      }),
    );
}

function close(): void {
  for (const { socket } of endpoints.splice(0)) socket.destroy();
}

/** The receiver's answers have no body, and each comes in one piece. */
function answered(chunk: Buffer): void {
  if (!chunk.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error('the receiver did not answer 200');
  if (--unanswered === 0) reply({ kind: 'sent' });
}

function send(sequence: number): void {
  const head = `{"sequence":${sequence},"filler":"`;
  const body = Buffer.from(`${head}${'x'.repeat(BODY_BYTES - head.length - 2)}"}`);
  const id = `evt_${sequence}`;
  const wallMs = Date.now();
  const timestamp = String(Math.floor(wallMs / 1_000));
  unanswered = endpoints.length;
  for (const { socket, signer, path } of endpoints) {
    const request =
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
      `X-Service-Signature: ${signer.signature(body)}\r\nwebhook-id: ${id}\r\nwebhook-timestamp: ${timestamp}\r\n` +
      `webhook-signature: ${signer.standardSignature(id, timestamp, body, wallMs)}\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(Buffer.concat([Buffer.from(request, 'latin1'), body]));
  }
}

process.on('message', async (message: ToBurstSender) => {
  if (message.kind === 'send') return send(message.sequence);
  await open(message.origin, message.secrets);
  reply({ kind: 'opened' });
});
endWithTheBench(async () => close());
reply({ kind: 'ready' });
