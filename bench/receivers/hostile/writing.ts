// Ways to send: a byte at a time, or without end.

import type { Socket } from 'node:net';

export const HEAD = 'HTTP/1.1 200 OK\r\n';
export const OK = `${HEAD}content-length: 2\r\n\r\nok`;

const DROP_MS = 1_000;

/** Sends `before`, then one byte of `drops` a second. */
export function drip(socket: Socket, before: string, drops: string): void {
  if (before !== '') socket.write(before);
  let at = 0;
  const timer = setInterval(() => {
    // Starts over at the end of `drops`.
    socket.write(drops[at++ % drops.length]!);
  }, DROP_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Sends `before`, then the same piece for as long as the client reads. */
export function pour(socket: Socket, before: string | Buffer, piece: Buffer): void {
  if (before.length > 0) socket.write(before);
  const flow = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', flow);
  flow();
}
