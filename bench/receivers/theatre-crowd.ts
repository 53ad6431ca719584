// Consoles without a browser: each asks for what the page of a replay asks for, in the same order and with the same
// headers, and reads its event stream. They are as cheap as they can be, because they share the machine with the service.
//
// Started by theatre-crowd-process.ts.

import { connect, type Socket } from 'node:net';
import { endWithTheBench } from '../suite/helper-process.ts';
import type { CrowdOrder, FromCrowd, ToCrowd } from './theatre-crowd-process.ts';

/** What a browser sends with each request of a page. */
const BROWSER = { 'accept-encoding': 'gzip, deflate, br, zstd', 'accept-language': 'en-GB', 'user-agent': 'bench' };

const sockets: Socket[] = [];
const counts = { ended: 0, bytes: 0 };
let sequences: number[] = [];

async function open({ cookies, ...order }: CrowdOrder): Promise<void> {
  sequences = cookies.map(() => 0);
  await Promise.all(cookies.map((cookie, console) => openConsole(order, cookie, console)));
}

async function openConsole(order: Omit<CrowdOrder, 'cookies'>, cookie: string, console: number): Promise<void> {
  const { address, sessionId, speed, sequence } = order;
  // Consoles are in different places: limits by address are not what is measured.
  const from = { ...BROWSER, 'x-forwarded-for': `10.1.${Math.floor(console / 250)}.${(console % 250) + 1}` };
  const ask = async (method: string, path: string, headers: Record<string, string>): Promise<unknown> => {
    const response = await fetch(`${address}${path}`, { method, headers: { ...from, ...headers } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  await ask('GET', '/v1/console/account', { cookie });
  // The page has a token for what it asks for once, and one for its replay.
  const grant = async (): Promise<string> =>
    ((await ask('POST', '/v1/console/token', { cookie, origin: address })) as { access_token: string }).access_token;
  const authorization = `Bearer ${await grant()}`;
  await ask('GET', '/v1/simulate/sessions?limit=100&offset=0', { authorization });
  const headers = { ...from, accept: 'text/event-stream', authorization: `Bearer ${await grant()}` };
  const query = `session=${sessionId}&speed=${speed}&sinks=visual&sequence=${sequence}`;
  await openStream(address, `/v1/simulate/stream?${query}`, headers, console);
}

function openStream(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  console: number,
): Promise<void> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    sockets.push(socket);
    socket.once('error', reject);
    socket.once('close', () => counts.ended++);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${lines.join('')}\r\n`);
    socket.once('data', (chunk) => {
      const head = chunk.toString('latin1');
      if (head.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(head));
    });
    socket.on('data', (chunk) => {
      counts.bytes += chunk.length;
      // The last id of the chunk that is whole in it.
      const id = chunk.lastIndexOf('\nid: ');
      const sequence = id < 0 ? 0 : Number.parseInt(chunk.toString('latin1', id + 5, id + 16), 10);
      if (sequence > sequences[console]!) sequences[console] = sequence;
    });
  });
}

function send(message: FromCrowd): void {
  if (process.connected) process.send!(message);
}

process.on('message', (message: ToCrowd) => {
  if (message.kind === 'report') {
    send({ kind: 'reported', ...counts, sequences });
    return;
  }
  open(message).then(
    () => send({ kind: 'opened' }),
    (error: Error) => {
      console.error(error.message);
      process.exit(1);
    },
  );
});
endWithTheBench(async () => {
  for (const socket of sockets) socket.destroy();
});
