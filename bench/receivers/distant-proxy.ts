// Puts a distance between the engine and a receiver: a TCP proxy in its own process that holds every chunk for half a
// round trip in each direction, and the first chunk of a connection for a whole one more, which stands for the TCP
// handshake. Chunks keep their order. On request one chunk in LOSS_EVERY is held LOSS_MS longer, with all that follow it
// on the connection, as when a packet is lost and sent again.
//
// Started by distant-proxy-process.ts: round trip in ms, 1 to lose packets, ports to forward to.

import { connect, createServer, type Socket } from 'node:net';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import type { FromDistantProxy } from './distant-proxy-process.ts';

const LOOPBACK = '127.0.0.1';
const LOSS_EVERY = 200;
const LOSS_MS = 300;

const [roundTripMs, isLossy, ...targets] = process.argv.slice(2).map(Number) as [number, number, ...number[]];
let chunks = 0;

/** Forwards what `from` reads to `to`, later. */
function forward(from: Socket, to: Socket, firstDelayMs: number): void {
  let dueMs = monotonicMs() + firstDelayMs;
  /** In order, and none early. Timers alone would keep neither: Node rounds their delays. */
  const held: { readonly dueMs: number; readonly work: () => void }[] = [];
  const release = (): void => {
    while (held.length > 0 && held[0]!.dueMs <= monotonicMs()) held.shift()!.work();
    // Timers count whole milliseconds.
    if (held.length > 0) setTimeout(release, Math.ceil(held[0]!.dueMs - monotonicMs()));
  };
  const later = (work: () => void): void => {
    chunks++;
    const lostMs = isLossy === 1 && chunks % LOSS_EVERY === 0 ? LOSS_MS : 0;
    dueMs = Math.max(dueMs, monotonicMs() + roundTripMs / 2 + lostMs);
    held.push({ dueMs, work });
    if (held.length === 1) release();
  };
  from.on('data', (chunk) => later(() => to.write(chunk)));
  from.on('end', () => later(() => to.end()));
  from.on('close', () => later(() => to.destroy()));
  from.on('error', () => {});
}

const ports: number[] = [];
for (const target of targets) {
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: target, host: LOOPBACK, noDelay: true });
    forward(near, far, 1.5 * roundTripMs);
    forward(far, near, 0);
  });
  server.listen(0, LOOPBACK, () => {
    ports.push((server.address() as { port: number }).port);
    if (ports.length === targets.length && process.connected)
      process.send!({ kind: 'listening', ports } satisfies FromDistantProxy);
  });
}
endWithTheBench(async () => {});
